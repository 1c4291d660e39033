import {
  CONDITION_MESSAGE_MAX,
  type ConditionState,
  canonicalJson,
  type JsonData,
  type JsonMap,
  parseJsonMap,
  rowOf,
  settleConditions,
} from '../resources/index.ts';
import type { StoredResource } from '../store/contracts/index.ts';

type Held = Pick<StoredResource, 'key' | 'apiVersion' | 'status' | 'finalizers' | 'deletionTimestamp'>;

const FINALIZED = 'Finalized';

/**
 * The text of a status while a deletion waits: phase Terminating, except where the phase is an enum of the kind's own, and the
 * condition Finalized once it was raised, with whoever holds the resource now (PL-10, PL-11). Otherwise the text as it is.
 */
export const heldStatus = (held: Held, text: string): string => {
  if (held.deletionTimestamp === undefined) return text;
  const status = parseJsonMap(text) ?? {};
  const raised = conditionsOf(parseJsonMap(held.status) ?? {}).find(isFinalized);
  if (raised === undefined) return canonicalJson({ ...status, ...terminating(held) });
  const conditions = [...others(status), { ...raised, message: namesOf(held) }];
  return canonicalJson({ ...status, ...terminating(held), conditions });
};

/** The status with the condition Finalized False, which names the finalizers. */
export const blockedStatus = (held: Held, at: { readonly now: number; readonly generation: number }): string => {
  const status = parseJsonMap(held.status) ?? {};
  const finding = { type: FINALIZED, status: 'False', reason: 'Blocked', message: namesOf(held) } as const;
  const found = settleConditions([], [finding], at);
  return canonicalJson({
    ...status,
    ...terminating(held),
    conditions: [...others(status), ...found.map(conditionMap)],
  });
};

const namesOf = ({ finalizers }: Held): string => finalizers.join(', ').slice(0, CONDITION_MESSAGE_MAX);

const terminating = (held: Held): JsonMap =>
  rowOf(held)?.status.field['phase']?.enum === undefined ? { phase: 'Terminating' } : {};

const conditionsOf = (status: JsonMap): readonly JsonMap[] => {
  const list: JsonData = status['conditions'] ?? [];
  return Array.isArray(list) ? (list as readonly JsonMap[]) : [];
};

const isFinalized = (condition: JsonMap): boolean => condition['type'] === FINALIZED;

const others = (status: JsonMap): readonly JsonMap[] =>
  conditionsOf(status).filter((condition) => !isFinalized(condition));

const conditionMap = (condition: ConditionState): JsonMap => ({
  type: condition.type,
  status: condition.status,
  reason: condition.reason,
  message: condition.message,
  lastTransitionTime: String(condition.lastTransitionTime),
  observedGeneration: String(condition.observedGeneration),
});
