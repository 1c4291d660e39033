import type { AuditAppender } from '../../../auth/index.ts';
import type { Fault, Ids } from '../../../base/index.ts';
import {
  type CostEstimate,
  type PermissionData,
  QuotaFault,
  type UsageMeter,
  type UsageSubject,
} from '../../../runtime/contract.ts';
import type { WriteTx } from '../../../store/contracts/index.ts';
import { holdCost, releaseHold } from './cost-holds.ts';
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
import { COST_METRIC } from './policy-rules.ts';
import { budgetQuestion } from './raise-rules.ts';
import { openReservation, reservationPlace } from './reservation-places.ts';
import { UnpricedModels } from './unpriced-models.ts';
import { addRaise, raisedBy } from './usage-raises.ts';
import { recordUsage } from './usage-records.ts';

const TOKEN_METRICS = ['llm.inputTokens', 'llm.outputTokens', 'llm.reasoningTokens', 'llm.totalTokens'] as const;
/** How long a repeated reservation is free at most. */
const HELD_MICROS = 86_400_000_000;
/** An answer shorter than this is of no use, and some providers take no smaller cap. */
const LEAST_OUTPUT = 16;

/** Counters that one reservation raised; what a giving back lowers again. */
interface Held {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly amount: number;
}

export interface PolicyMeterDeps {
  readonly ids: Ids;
  readonly audit: AuditAppender;
  /** Hears the metric of every reservation that a limit refuses. */
  readonly refused: (metric: string) => void;
}

/**
 * Counts what usage policies limit. A reservation raises all matching counters or none, in the caller's transaction,
 * after it locked them in key order; an act that no policy governs costs nothing. Windows err by one bucket towards
 * refusal, never beyond max. Money is reserved by an estimate before a call and replaced by what the call cost.
 */
export class PolicyMeter implements UsageMeter {
  readonly #policies: PolicyIndex;
  readonly #deps: PolicyMeterDeps;
  readonly #unpriced = new UnpricedModels();

  constructor(policies: PolicyIndex, deps: PolicyMeterDeps) {
    this.#policies = policies;
    this.#deps = deps;
  }

  governs(namespace: string): boolean {
    return this.#policies.limitsFor(namespace).length > 0;
  }

  limitsCost(subject: UsageSubject): boolean {
    return this.#matching(COST_METRIC, subject).length > 0;
  }

  async reserve(...[tx, metric, subject, key]: Parameters<UsageMeter['reserve']>): Promise<void> {
    const limits = this.#matching(metric, subject);
    const checked = metric === 'llm.requests' ? TOKEN_METRICS.flatMap((name) => this.#matching(name, subject)) : [];
    if (limits.length === 0 && checked.length === 0) return;
    const place = await reservationPlace(tx, `${metric}/${subject.namespace}/${key}`);
    if (place === undefined) return;
    const all = [...limits, ...checked];
    await lock(tx, all, subject);
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

  async reserveCost(...[tx, subject, turnId, estimate]: Parameters<UsageMeter['reserveCost']>): Promise<number> {
    const limits = this.#matching(COST_METRIC, subject);
    if (limits.length === 0) return estimate.outputTokens;
    await lock(tx, limits, subject);
    await releaseHold(tx, turnId);
    let tokens = estimate.outputTokens;
    for (const limit of limits) tokens = Math.min(tokens, await this.#affordable(tx, limit, { subject, estimate }));
    const amount = Math.ceil(estimate.promptMicros + tokens * estimate.tokenMicros);
    const held = await this.#add(
      tx,
      limits.map((limit) => ({ limit, amount })),
      subject,
    );
    if (held.length > 0) await holdCost(tx, turnId, held);
    return tokens;
  }

  async releaseCost(tx: WriteTx, namespace: string, turnId: string): Promise<void> {
    if (this.#policies.limitsFor(namespace).some(({ metric }) => metric === COST_METRIC)) await releaseHold(tx, turnId);
  }

  async charge(...[tx, subject, usage, turnId]: Parameters<UsageMeter['charge']>): Promise<void> {
    await recordUsage(tx, { id: this.#deps.ids.next(), subject, usage });
    if (!this.governs(subject.namespace)) return;
    await this.releaseCost(tx, subject.namespace, turnId);
    const amounts: Readonly<Record<(typeof TOKEN_METRICS)[number] | typeof COST_METRIC, number>> = {
      'llm.inputTokens': usage.inputTokens,
      'llm.outputTokens': usage.outputTokens,
      'llm.reasoningTokens': usage.reasoningTokens,
      'llm.totalTokens': usage.totalTokens,
      'llm.costMicros': usage.costMicros ?? 0,
    };
    const parts = ([...TOKEN_METRICS, COST_METRIC] as const).flatMap((metric) =>
      this.#matching(metric, subject).map((limit) => ({ limit, amount: amounts[metric] })),
    );
    await this.#add(tx, parts, subject);
    if (usage.costMicros !== undefined) return;
    for (const limit of this.#matching(COST_METRIC, subject)) await this.#unpriced.note(tx, limit.policyUid, usage);
  }

  async raise(tx: WriteTx, answered: PermissionData): Promise<void> {
    await addRaise(tx, answered, this.#deps.audit);
  }

  #matching(metric: string, subject: UsageSubject): readonly CompiledLimit[] {
    return this.#policies.limitsFor(subject.namespace).filter((limit) => limitMatches(limit, metric, subject));
  }

  async #require(tx: WriteTx, limit: CompiledLimit, subject: UsageSubject): Promise<void> {
    const state = await stateOf(tx, limit, subject);
    if (state.used >= (await maxOf(tx, limit, subject))) throw this.#refusal(tx, limit, { subject, state });
  }

  /** Tokens of an answer that a limit of money has room for, behind the prompt. */
  async #affordable(
    tx: WriteTx,
    limit: CompiledLimit,
    call: { readonly subject: UsageSubject; readonly estimate: CostEstimate },
  ): Promise<number> {
    const { subject, estimate } = call;
    const { promptMicros, tokenMicros, outputTokens } = estimate;
    if (promptMicros + tokenMicros === 0) return outputTokens;
    const state = await stateOf(tx, limit, subject);
    const left = (await maxOf(tx, limit, subject)) - state.used - promptMicros;
    const tokens = tokenMicros === 0 ? outputTokens : Math.floor(left / tokenMicros);
    if (left < 0 || tokens < Math.min(LEAST_OUTPUT, outputTokens)) throw this.#refusal(tx, limit, { subject, state });
    return tokens;
  }

  #refusal(
    tx: WriteTx,
    limit: CompiledLimit,
    { subject, state }: { readonly subject: UsageSubject; readonly state: CounterState },
  ): Fault {
    this.#deps.refused(limit.metric);
    return quotaExceeded(limit, subject.identity, { state, now: tx.now() });
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
      raised.set(key, { key, start, end, amount });
    }
    return [...raised.values()];
  }
}

/** In key order, so that no two reservations wait for each other. */
const lock = (tx: WriteTx, limits: readonly CompiledLimit[], { identity }: UsageSubject): Promise<void> =>
  tx.counters.lock([...new Set(limits.map((limit) => counterKey(limit, identity)))].sort());

const stateOf = async (tx: WriteTx, limit: CompiledLimit, { identity }: UsageSubject): Promise<CounterState> => {
  const key = counterKey(limit, identity);
  return (await tx.counters.sum([key], windowSpan(limit, tx.now()))).get(key) ?? { used: 0, oldestStart: 0 };
};

/** What may be used, with what people added for this identity. */
const maxOf = async (tx: WriteTx, limit: CompiledLimit, { identity }: UsageSubject): Promise<number> =>
  limit.asks ? limit.max + (await raisedBy(tx, { counter: limit.counter, identity, now: tx.now() })) : limit.max;

/** Micros as UTC, to the second, rounded up as `reset_at` is. */
const timeText = (micros: number): string =>
  new Date(Math.ceil(micros / 1_000_000) * 1_000).toISOString().replace('.000Z', 'Z');

const quotaExceeded = (
  limit: CompiledLimit,
  identity: string,
  { state, now }: { readonly state: CounterState; readonly now: number },
): Fault => {
  const { resetAt } = windowOf(limit, state, now);
  const { used } = state;
  return new QuotaFault(
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
    limit.asks ? budgetQuestion(limit, identity, used) : undefined,
  );
};
