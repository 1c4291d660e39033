import type { MessageConsumer } from '@svc/api/data';
import type { Resource, ResourceCondition } from '@svc/api/resources';
import type { Tone } from '../../ui/badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  delivered: 'good',
  pending: 'busy',
  held: 'warn',
  degraded: 'bad',
  invalid: 'bad',
  rejected: 'bad',
  dead: 'bad',
};

/** How a phase of a class or connector, or a state of a delivery looks. */
export const toneOf = (state: string): Tone => TONES[state] ?? 'calm';

/** What is wrong by the conditions: those that are False, in words. */
export const problemsIn = (conditions: readonly ResourceCondition[]): readonly string[] => {
  const wrong = conditions
    .filter(({ status }) => status === 'False')
    .map(({ type, reason, message }) => ({
      type,
      text: message === '' ? reason : `${reason}: ${message}`,
    }));
  // Ready repeats the reason of the condition that it follows from.
  const others = wrong.filter(({ type }) => type !== 'Ready').map(({ text }) => text);
  return [...new Set(others.length > 0 ? others : wrong.map(({ text }) => text))];
};

/** What a class says and how its registration is. */
export const classFacts = ({ spec, status }: Resource) => {
  const own = spec?.kind.case === 'connectorClass' ? spec.kind.value : undefined;
  const now = status?.kind.case === 'connectorClass' ? status.kind.value : undefined;
  return {
    platform: own?.platform ?? '',
    endpoint: own?.runtime?.endpoint ?? '',
    phase: now?.phase ?? '',
    problems: problemsIn(now?.conditions ?? []),
  };
};

/** What a connector says and which routes it holds. */
export const connectorFacts = ({ spec, status }: Resource) => {
  const own = spec?.kind.case === 'connector' ? spec.kind.value : undefined;
  const now = status?.kind.case === 'connector' ? status.kind.value : undefined;
  return {
    service: own?.classRef?.name ?? '',
    matches: Object.entries(own?.matchFields ?? {})
      .map(([field, value]) => `${field}=${value}`)
      .join(', '),
    consumer: consumerText(own?.consumer),
    phase: now?.phase ?? '',
    routes: now?.compiledRouteIds ?? [],
    problems: problemsIn(now?.conditions ?? []),
  };
};

/** Who gets the messages, such as `agent clerk`. */
const consumerText = (consumer: MessageConsumer | undefined): string => {
  if (consumer?.session !== undefined) return `agent ${consumer.session.agent?.name ?? ''}`;
  if (consumer?.channel !== undefined) return `channel ${consumer.channel.channel?.name ?? ''}`;
  return consumer?.workflow === undefined ? '' : `workflow ${consumer.workflow.name}`;
};
