import type { AuditAppender } from '../../../auth/index.ts';
import type { Ids } from '../../../base/index.ts';
import type { ChangeFeed, ResourceWriter } from '../../../controllers/contract.ts';
import { earlierNow, type Store } from '../../../store/contracts/index.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import { trimHolds } from './cost-holds.ts';
import { PolicyIndex } from './policy-index.ts';
import { usagePolicyContract } from './policy-kind.ts';
import { trimUnpriced } from './unpriced-models.ts';
import { UsageConditions, usageActivity } from './usage-facts.ts';
import { PolicyMeter } from './usage-meter.ts';
import { type UsageOperationsDeps, usageOperations } from './usage-operations.ts';
import { trimRaises } from './usage-raises.ts';
import { dayOf, foldUsage, trimDays } from './usage-records.ts';

const MICROS_PER_MS = 1_000;
const DAY_MICROS = 86_400_000_000;
const CONDITIONS_MS = 30_000;
const TRIM_MS = 3_600_000;
const TRIM_ROWS = 5_000;
const FOLD_MS = 60_000;

interface UsageModuleDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly descendants: UsageOperationsDeps['descendants'];
  readonly authorizer: UsageOperationsDeps['authorizer'];
  readonly feed: ChangeFeed;
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly ids: Ids;
  readonly audit: AuditAppender;
  /** False for a `provider/model` that has no price. */
  readonly isPriced: (model: string) => boolean;
  /** Hears the metric of each reservation that a policy refuses. */
  readonly refused: (metric: string) => void;
  readonly settings: {
    readonly 'usage.alertPercent': number;
    /** In milliseconds; 0 keeps every count. */
    readonly 'retention.usage': number;
  };
}

export interface UsageModule extends FeatureModule {
  /** What holds turns to the policies. */
  readonly meter: PolicyMeter;
  /** What the limits of policies have used, for reads of any kind, by uid. */
  readonly facts: ReturnType<typeof usageActivity>;
  /** Learns the policies that are stored. */
  start(): Promise<void>;
  close(): void;
}

/** The kind UsagePolicy, its meter and conditions, and the end of counts that no policy reads. */
export const usageModule = (deps: UsageModuleDeps): UsageModule => {
  const { store, writer, feed, settings, isPriced } = deps;
  const policies = new PolicyIndex(deps.ancestorsOf);
  const facts = { now: () => store.now() };
  const alertPercent = settings['usage.alertPercent'];
  const conditions = new UsageConditions({ ...facts, store, writer: () => writer, alertPercent, isPriced });
  return {
    kinds: [usagePolicyContract({ policies })],
    operations: usageOperations(deps),
    jobs: [
      { name: 'usage-conditions', everyMs: CONDITIONS_MS, tick: () => conditions.tick() },
      { name: 'usage-days', everyMs: FOLD_MS, tick: () => foldUsage(store) },
      usageTrim(deps, policies),
    ],
    meter: new PolicyMeter(policies, deps),
    facts: usageActivity(facts),
    start: () => policies.start(store.direct.resources, feed),
    close: () => policies.close(),
  };
};

const usageTrim = ({ store, settings }: UsageModuleDeps, policies: PolicyIndex): PeriodicJob => {
  const kept = settings['retention.usage'] * MICROS_PER_MS;
  const tick = async (): Promise<void> => {
    const longest = policies.longestWindowMicros();
    const now = earlierNow(store);
    await store.write(async (tx) => {
      await trimRaises(tx, TRIM_ROWS);
      await trimHolds(tx, now - longest - DAY_MICROS, TRIM_ROWS);
      await trimUnpriced(tx, now - longest - DAY_MICROS, TRIM_ROWS);
    });
    if (kept === 0) return;
    const before = now - Math.max(kept, longest);
    await store.write(async (tx) => {
      await tx.counters.trim(before, TRIM_ROWS);
      await trimDays(tx, dayOf(before), TRIM_ROWS);
    });
  };
  return { name: 'usage-trim', everyMs: TRIM_MS, tick };
};
