import { create, toJson } from '@bufbuild/protobuf';
import {
  type UsageLimitStatus,
  UsageLimitStatusSchema,
  type UsagePolicySpec,
  type UsagePolicyStatus,
  UsagePolicyStatusSchema,
} from '@svc/api/resources';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import { type Finding, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import { type ReadTx, resourcePages, type Store, type StoredResource } from '../../../store/contracts/index.ts';
import {
  type CompiledLimit,
  type CounterState,
  compileLimit,
  counterKey,
  windowOf,
  windowSpan,
} from './limit-rules.ts';
import { COST_METRIC, canonicalSubject, windowSeconds } from './policy-rules.ts';
import { unpricedModels } from './unpriced-models.ts';
import { openRaises } from './usage-raises.ts';

type Reads = Pick<ReadTx, 'counters' | 'usageRaises'>;

export interface UsageFactsDeps {
  readonly now: () => number;
}

const MICROS = 1_000_000;

/** What every limit of a policy has used now; identity limits show the hottest identity. */
const limitStatuses = async (
  deps: UsageFactsDeps,
  reads: Reads,
  record: StoredResource,
): Promise<readonly UsageLimitStatus[]> => {
  const spec = messageFromText(kindRow('UsagePolicy').spec, record.spec) as UsagePolicySpec;
  const policy = { uid: record.uid, namespace: record.key.namespace, name: record.key.name };
  const now = deps.now();
  const found: UsageLimitStatus[] = [];
  for (const limit of spec.hard) {
    const compiled = compileLimit(policy, limit);
    const state = compiled === undefined ? undefined : await counted(deps, reads, compiled);
    const raises = compiled === undefined ? [] : await openRaises(reads, compiled.counter, now);
    const used = BigInt(state?.used ?? 0);
    const { start, resetAt } = compiled === undefined ? { start: now, resetAt: now } : windowOf(compiled, state, now);
    const { selector, metric, max, window } = limit;
    found.push(
      create(UsageLimitStatusSchema, {
        ...(selector === undefined ? {} : { selector }),
        metric,
        max,
        window,
        windowStart: BigInt(Math.floor(start / MICROS)),
        resetAt: BigInt(Math.ceil(resetAt / MICROS)),
        used,
        remaining: used >= max ? 0n : max - used,
        exceeded: used >= max,
        subjectScope: canonicalSubject(limit.subjectScope) ?? '',
        raises: raises.map(({ identity, amount, until, decidedBy }) => ({
          identity,
          amount: BigInt(amount),
          until: BigInt(Math.ceil(until / MICROS)),
          decidedBy,
        })),
      }),
    );
  }
  return found;
};

/** Of a limit per identity that of the one that has used most, wherever and whenever it was counted. */
const counted = async (deps: UsageFactsDeps, reads: Reads, limit: CompiledLimit): Promise<CounterState | undefined> => {
  const span = windowSpan(limit, deps.now());
  if (limit.isPerIdentity) return reads.counters.hottest(counterKey(limit, ''), span);
  return (await reads.counters.sum([limit.counter], span)).get(limit.counter);
};

/** The counts merged into the stored status when a policy is read: counting makes no new resource version. */
export const usageActivity =
  (deps: UsageFactsDeps) =>
  async (reads: ReadTx, records: readonly StoredResource[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const record of records) {
      const hard = await limitStatuses(deps, reads, record);
      found.set(record.uid, JSON.stringify({ hard: hard.map((limit) => toJson(UsageLimitStatusSchema, limit)) }));
    }
    return found;
  };

export interface UsageConditionsDeps extends UsageFactsDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly writer: () => Pick<ResourceWriter, 'writeStatus'>;
  /** `usage.alertPercent`. */
  readonly alertPercent: number;
  /** False for a `provider/model` that has no price. */
  readonly isPriced: (model: string) => boolean;
}

/** Keeps the conditions Alert and Exceeded of every policy true; called every 30 s. */
export class UsageConditions {
  readonly #deps: UsageConditionsDeps;

  constructor(deps: UsageConditionsDeps) {
    this.#deps = deps;
  }

  async tick(): Promise<void> {
    const { resources } = this.#deps.store.direct;
    for await (const page of resourcePages(resources, { kind: 'UsagePolicy', scope: { type: 'all' } }))
      for (const record of page) await this.#judge(record);
  }

  async #judge(record: StoredResource): Promise<void> {
    const { store, writer } = this.#deps;
    const limits = await limitStatuses(this.#deps, store.direct, record);
    const findings = [...this.#findings(limits), ...(await this.#pricing(record, limits))];
    await store.write((tx) =>
      writer().writeStatus(tx, record.key, (current) => {
        if (current.generation !== record.generation) return undefined;
        const status = messageFromText(kindRow('UsagePolicy').status, current.status) as UsagePolicyStatus;
        const at = { now: tx.now(), generation: current.generation };
        const { observedGeneration, phase } = status;
        const conditions = judgedConditions(status.conditions, { phase, findings }, at);
        return { status: create(UsagePolicyStatusSchema, { observedGeneration, phase, conditions }) };
      }),
    );
  }

  /** Nothing of a policy that limits no money; else whether all models that its calls met have a price. */
  async #pricing(record: StoredResource, limits: readonly UsageLimitStatus[]): Promise<readonly Finding[]> {
    const { store, now, isPriced } = this.#deps;
    const windows = limits
      .filter(({ metric }) => metric === COST_METRIC)
      .map(({ window }) => windowSeconds(window) ?? 0);
    if (windows.length === 0) return [];
    const since = now() - Math.max(...windows) * MICROS;
    const met = await unpricedModels(store.direct, record.uid, since);
    const unpriced = met.filter((model) => !isPriced(model));
    if (unpriced.length === 0) return [{ type: 'Priced', status: 'True', reason: 'Priced' }];
    const message = `counted as 0: ${unpriced.join(', ')}`;
    return [{ type: 'Priced', status: 'False', reason: 'ModelWithoutPrice', message }];
  }

  #findings(limits: readonly UsageLimitStatus[]): readonly Finding[] {
    const { alertPercent } = this.#deps;
    const name = (limit: UsageLimitStatus): string => `${limit.metric} per ${limit.window}`;
    const near = limits.filter((limit) => limit.used * 100n >= limit.max * BigInt(alertPercent)).map(name);
    const over = limits.filter((limit) => limit.exceeded).map(name);
    return [
      { type: 'Ready', status: 'True', reason: 'Active' },
      { type: 'Validated', status: 'True', reason: 'Validated' },
      near.length === 0
        ? { type: 'Alert', status: 'False', reason: 'BelowAlert' }
        : { type: 'Alert', status: 'True', reason: 'NearLimit', message: near.join('; ') },
      over.length === 0
        ? { type: 'Exceeded', status: 'False', reason: 'BelowLimit' }
        : { type: 'Exceeded', status: 'True', reason: 'LimitReached', message: over.join('; ') },
    ];
  }
}
