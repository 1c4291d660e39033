import type { UsageLimit, UsagePolicySpec } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';

/** Millionths of the unit of prices. */
export const COST_METRIC = 'llm.costMicros';

export const METRICS: readonly string[] = [
  'llm.requests',
  'llm.inputTokens',
  'llm.outputTokens',
  'llm.reasoningTokens',
  'llm.totalTokens',
  COST_METRIC,
  'tool.calls',
  'agent.sessions',
];

const SCOPES: ReadonlySet<string> = new Set(['', 'recursive', 'self']);
const SUBJECT_SCOPES: Readonly<Record<string, string>> = {
  '': 'all',
  all: 'all',
  identity: 'identity',
  subject: 'identity',
};
const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };
const WINDOW = /^[1-9][0-9]{0,8}[smhd]$/;
const WINDOW_MAX_SECONDS = 3_650 * 86_400;
const LIMITS_MAX = 100;

/** Seconds of `60s`, `1m`, `5h`, `7d`; undefined when malformed or longer than ten years. */
export const windowSeconds = (window: string): number | undefined => {
  if (!WINDOW.test(window)) return undefined;
  const seconds = Number.parseInt(window, 10) * (UNIT_SECONDS[window.slice(-1)] ?? 1);
  return seconds <= WINDOW_MAX_SECONDS ? seconds : undefined;
};

/** `all` or `identity`, whichever alias was written; undefined when it is not one. */
export const canonicalSubject = (scope: string): string | undefined =>
  Object.hasOwn(SUBJECT_SCOPES, scope) ? SUBJECT_SCOPES[scope] : undefined;

/** What happens where a limit is used up: the turn fails, or asks a person for more. */
export const ON_EXCEEDED = 'option.svc/on-exceeded';
const ON_EXCEEDED_WORDS: readonly string[] = ['fail', 'ask'];

const checkOnExceeded = (said: string | undefined): readonly FieldViolation[] =>
  said === undefined || ON_EXCEEDED_WORDS.includes(said)
    ? []
    : [violation(`metadata.annotations[${ON_EXCEEDED}]`, `must be ${ON_EXCEEDED_WORDS.join(' or ')}`)];

/** All faults of a policy. */
export const checkUsagePolicy = (
  spec: UsagePolicySpec,
  annotations: Readonly<Record<string, string>>,
): readonly FieldViolation[] => [
  ...checkOnExceeded(annotations[ON_EXCEEDED]),
  ...(SCOPES.has(spec.namespaceScope) ? [] : [violation('spec.namespaceScope', 'must be recursive, self or empty')]),
  ...(spec.hard.length > LIMITS_MAX ? [violation('spec.hard', `more than ${LIMITS_MAX} limits`)] : []),
  ...spec.hard.flatMap((limit, index) => checkLimit(limit, `spec.hard[${index}]`)),
];

const checkLimit = (limit: UsageLimit, at: string): readonly FieldViolation[] => [
  ...(METRICS.includes(limit.metric) ? [] : [violation(`${at}.metric`, `must be one of ${METRICS.join(', ')}`)]),
  ...(windowSeconds(limit.window) === undefined
    ? [violation(`${at}.window`, 'must be a whole number with s, m, h or d, more than 0')]
    : []),
  ...(canonicalSubject(limit.subjectScope) === undefined
    ? [violation(`${at}.subjectScope`, 'must be all, identity, subject or empty')]
    : []),
];
