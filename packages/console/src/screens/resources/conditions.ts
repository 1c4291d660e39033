import type { Resource, ResourceCondition } from '@svc/api/resources';

/** Conditions that warn when they hold, and those that are neither good nor bad. */
const WARNINGS: ReadonlySet<string> = new Set(['Alert', 'Exceeded']);
const NEUTRAL: ReadonlySet<string> = new Set(['DelegatedExecution']);

/** What is known of a resource by observation, of any kind. */
export const conditionsOf = ({ status }: Resource): readonly ResourceCondition[] => {
  const own = status?.kind.value;
  return own !== undefined && 'conditions' in own ? own.conditions : [];
};

export const isBadCondition = ({ type, status }: Pick<ResourceCondition, 'type' | 'status'>): boolean =>
  !NEUTRAL.has(type) && status === (WARNINGS.has(type) ? 'True' : 'False');

/** What is wrong with a resource; Ready, which only sums the others up, comes last. */
export const badConditions = (resource: Resource): readonly ResourceCondition[] =>
  conditionsOf(resource)
    .filter(isBadCondition)
    .toSorted((left, right) => Number(left.type === 'Ready') - Number(right.type === 'Ready'));
