import type { UsageLimit } from '@svc/api/resources';
import type { UsageSubject } from '../../../runtime/contract.ts';
import type { CounterSpan } from '../../../store/contracts/index.ts';
import { canonicalSubject, windowSeconds } from './policy-rules.ts';

const BUCKETS = 60;
const MICROS = 1_000_000;

/** One limit of a policy, read once. */
export interface CompiledLimit {
  readonly policyUid: string;
  /** `namespace/name`, for error texts. */
  readonly policy: string;
  readonly metric: string;
  readonly max: number;
  /** As it was written, such as `5h`. */
  readonly window: string;
  readonly windowMicros: number;
  readonly bucketMicros: number;
  readonly isPerIdentity: boolean;
  /** A turn that is refused asks a person for more. */
  readonly asks: boolean;
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  /** Key of its counter without an identity; limits that differ only in `max` share it. */
  readonly counter: string;
}

/** A limit as the meter counts it; undefined for one that no longer passes the rules. */
export const compileLimit = (
  policy: { readonly uid: string; readonly namespace: string; readonly name: string; readonly asks?: boolean },
  limit: UsageLimit,
): CompiledLimit | undefined => {
  const seconds = windowSeconds(limit.window);
  const scope = canonicalSubject(limit.subjectScope);
  if (seconds === undefined || scope === undefined) return undefined;
  const { agent = '', ...given } = limit.selector ?? { provider: '', model: '' };
  const { provider, model } = limit.metric.startsWith('llm.') ? given : { provider: '', model: '' };
  return {
    policyUid: policy.uid,
    policy: `${policy.namespace}/${policy.name}`,
    metric: limit.metric,
    max: Number(limit.max),
    window: limit.window,
    windowMicros: seconds * MICROS,
    bucketMicros: Math.max(1, Math.ceil(seconds / BUCKETS)) * MICROS,
    isPerIdentity: scope === 'identity',
    asks: policy.asks === true,
    agent,
    provider,
    model,
    counter: [policy.uid, limit.metric, String(seconds), scope, agent, provider, model]
      .map(encodeURIComponent)
      .join('|'),
  };
};

/** True when the traffic of a subject counts for the limit. */
export const limitMatches = (limit: CompiledLimit, metric: string, subject: UsageSubject): boolean =>
  limit.metric === metric &&
  (limit.agent === '' || limit.agent === subject.agent) &&
  (limit.provider === '' || limit.provider === subject.provider) &&
  (limit.model === '' || limit.model === subject.model);

/** The counter that a subject's traffic is kept under. */
export const counterKey = (limit: CompiledLimit, identity: string): string =>
  limit.isPerIdentity ? `${limit.counter}|${encodeURIComponent(identity)}` : limit.counter;

/** The bucket of a moment. */
export const bucketAt = (limit: CompiledLimit, now: number): { readonly start: number; readonly end: number } => {
  const start = Math.floor(now / limit.bucketMicros) * limit.bucketMicros;
  return { start, end: start + limit.bucketMicros };
};

/** What another node counts is in its window, though its clock is ahead by as much. */
const AHEAD_MICROS = 5_000_000;

/** The buckets that count at a moment: not those of a time to come, which the clock was set back from. */
export const windowSpan = (limit: CompiledLimit, now: number): CounterSpan => ({
  endsAfter: now - limit.windowMicros,
  startsAfter: now - limit.windowMicros - limit.bucketMicros,
  startsBy: now + AHEAD_MICROS,
});

/** What a counter holds in the window that ends now. */
export interface CounterState {
  readonly used: number;
  readonly oldestStart: number;
}

/** Start of the window, and when `used` next falls, both in micros. */
export const windowOf = (
  limit: CompiledLimit,
  state: CounterState | undefined,
  now: number,
): { readonly start: number; readonly resetAt: number } =>
  state === undefined || state.used === 0
    ? { start: now - limit.windowMicros, resetAt: now + limit.windowMicros }
    : { start: state.oldestStart, resetAt: state.oldestStart + limit.bucketMicros + limit.windowMicros };
