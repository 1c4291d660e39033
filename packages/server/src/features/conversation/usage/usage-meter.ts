import { Fault } from '../../../base/index.ts';
import type { TurnUsage, UsageMeter, UsageSubject } from '../../../runtime/contract.ts';
import type { WriteTx } from '../../../store/contracts/index.ts';
import {
  bucketAt,
  type CompiledLimit,
  type CounterState,
  counterKey,
  limitMatches,
  windowOf,
  windowSpan,
} from './limit-rules.ts';
import type { PolicyIndex } from './policy-index.ts';

const TOKEN_METRICS = ['llm.inputTokens', 'llm.outputTokens', 'llm.reasoningTokens', 'llm.totalTokens'] as const;
/** How long a repeated reservation is free at most. */
const HELD_MICROS = 86_400_000_000;
const RESERVATIONS_MAX = 16;

/** Counters that one reservation raised; what a giving back lowers again. */
interface Held {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Counts what usage policies limit. A reservation raises all matching counters or none, in the caller's transaction,
 * after it locked them in key order; an act that no policy governs costs nothing. Windows err by one bucket towards
 * refusal, never beyond max.
 */
export class PolicyMeter implements UsageMeter {
  readonly #policies: PolicyIndex;
  readonly #refused: (metric: string) => void;

  /** `refused` hears the metric of every reservation that a limit refuses. */
  constructor(policies: PolicyIndex, refused: (metric: string) => void) {
    this.#policies = policies;
    this.#refused = refused;
  }

  governs(namespace: string): boolean {
    return this.#policies.limitsFor(namespace).length > 0;
  }

  async reserve(...[tx, metric, subject, key]: Parameters<UsageMeter['reserve']>): Promise<void> {
    const limits = this.#matching(metric, subject);
    const checked = metric === 'llm.requests' ? TOKEN_METRICS.flatMap((name) => this.#matching(name, subject)) : [];
    if (limits.length === 0 && checked.length === 0) return;
    const place = await reservationPlace(tx, `${metric}/${subject.namespace}/${key}`);
    if (place === undefined) return;
    const all = [...limits, ...checked];
    await tx.counters.lock([...new Set(all.map((limit) => counterKey(limit, subject.identity)))].sort());
    for (const limit of all) await this.#require(tx, limit, subject);
    const raised = await this.#add(
      tx,
      limits.map((limit) => ({ limit, amount: 1 })),
      subject,
    );
    if (raised.length === 0) return;
    const longest = Math.max(...limits.map((limit) => limit.windowMicros + limit.bucketMicros));
    await tx.idempotency.insert({
      scope: place,
      requestHash: '',
      answer: JSON.stringify(raised),
      expiresAt: tx.steadyNow() + Math.min(longest, HELD_MICROS),
    });
  }

  async giveBack(...[tx, metric, subject, key]: Parameters<UsageMeter['giveBack']>): Promise<void> {
    const found = await openReservation(tx, `${metric}/${subject.namespace}/${key}`);
    if (found === undefined) return;
    for (const { key: counter, start, end } of JSON.parse(found.answer) as readonly Held[])
      await tx.counters.add(counter, start, end, -1);
    const { scope, expiresAt } = found;
    await tx.idempotency.insert({ scope: `${scope}/back`, requestHash: '', answer: '', expiresAt });
  }

  async charge(tx: WriteTx, subject: UsageSubject, usage: TurnUsage): Promise<void> {
    const amounts: Readonly<Record<(typeof TOKEN_METRICS)[number], number>> = {
      'llm.inputTokens': usage.inputTokens,
      'llm.outputTokens': usage.outputTokens,
      'llm.reasoningTokens': usage.reasoningTokens,
      'llm.totalTokens': usage.totalTokens,
    };
    const parts = TOKEN_METRICS.flatMap((metric) =>
      this.#matching(metric, subject).map((limit) => ({ limit, amount: amounts[metric] })),
    );
    await this.#add(tx, parts, subject);
  }

  #matching(metric: string, subject: UsageSubject): readonly CompiledLimit[] {
    return this.#policies.limitsFor(subject.namespace).filter((limit) => limitMatches(limit, metric, subject));
  }

  async #require(tx: WriteTx, limit: CompiledLimit, subject: UsageSubject): Promise<void> {
    const key = counterKey(limit, subject.identity);
    const now = tx.now();
    const state = (await tx.counters.sum([key], windowSpan(limit, now))).get(key);
    if ((state?.used ?? 0) < limit.max) return;
    this.#refused(limit.metric);
    throw quotaExceeded(limit, state, now);
  }

  /** Raises each counter once, whatever number of limits share it. */
  async #add(
    tx: WriteTx,
    parts: readonly { readonly limit: CompiledLimit; readonly amount: number }[],
    subject: UsageSubject,
  ): Promise<readonly Held[]> {
    const raised = new Map<string, Held>();
    for (const { limit, amount } of parts) {
      const key = counterKey(limit, subject.identity);
      if (amount <= 0 || raised.has(key)) continue;
      const { start, end } = bucketAt(limit, tx.now());
      await tx.counters.add(key, start, end, amount);
      raised.set(key, { key, start, end });
    }
    return [...raised.values()];
  }
}

/** Where the next reservation under a name is noted; undefined while one is held, which makes repeating it free. */
const reservationPlace = async (tx: WriteTx, name: string): Promise<string | undefined> => {
  for (let round = 0; round < RESERVATIONS_MAX; round++) {
    const scope = `usage/${name}/${round}`;
    if ((await tx.idempotency.find(scope, tx.steadyNow())) === undefined) return scope;
    if ((await tx.idempotency.find(`${scope}/back`, tx.steadyNow())) === undefined) return undefined;
  }
  return undefined;
};

const openReservation = async (tx: WriteTx, name: string) => {
  for (let round = 0; round < RESERVATIONS_MAX; round++) {
    const held = await tx.idempotency.find(`usage/${name}/${round}`, tx.steadyNow());
    if (held === undefined) return undefined;
    if ((await tx.idempotency.find(`${held.scope}/back`, tx.steadyNow())) === undefined) return held;
  }
  return undefined;
};

/** Micros as UTC, to the second, rounded up as `reset_at` is. */
const timeText = (micros: number): string =>
  new Date(Math.ceil(micros / 1_000_000) * 1_000).toISOString().replace('.000Z', 'Z');

const quotaExceeded = (limit: CompiledLimit, state: CounterState | undefined, now: number): Fault => {
  const { resetAt } = windowOf(limit, state, now);
  const used = state?.used ?? 0;
  return new Fault(
    'RESOURCE_EXHAUSTED',
    'QUOTA_EXCEEDED',
    `the quota of ${limit.metric} is used up: ${used} of ${limit.max} (policy ${limit.policy}, free again at ${timeText(resetAt)})`,
    {
      metadata: {
        metric: limit.metric,
        policy: limit.policy,
        used: String(used),
        max: String(limit.max),
        reset_at: String(Math.ceil(resetAt / 1_000_000)),
      },
      retryAfterMs: Math.max(1_000, Math.ceil((resetAt - now) / 1_000)),
    },
  );
};
