import type { KindContract } from '../../../controllers/contract.ts';
import type { Operation } from '../../../operations/index.ts';
import { earlierNow, type Store, trimInBatches } from '../../../store/contracts/index.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import type { ManifestsDeps } from './manifests-deps.ts';
import { resourceOperations } from './resource-operations.ts';

const MICROS_PER_MS = 1_000;
const MINUTE_MS = 60_000;
/** Readers of the change log inside the servers are never further behind than this. */
const LEAST_HISTORY_MS = MINUTE_MS;

interface ManifestsModuleDeps extends Omit<ManifestsDeps, 'fill' | 'responseBytes' | 'streamLimits'> {
  /** Rules of a kind; undefined for one that has none. */
  readonly contractOf: (kind: string) => KindContract | undefined;
  /** Notes in the audit log what operations show of Secrets. */
  readonly withReadAudit: (operations: readonly Operation[]) => readonly Operation[];
  readonly settings: {
    /** In milliseconds. */
    readonly 'watch.historySeconds': number;
    readonly 'limits.responseBytes': number;
    readonly 'limits.streamBufferEvents': number;
    readonly 'limits.streamBufferBytes': number;
  };
}

/** ResourceService over every kind, and the end of changes that no watch goes back to. */
export const manifestsModule = (deps: ManifestsModuleDeps): FeatureModule => ({
  operations: deps.withReadAudit(
    resourceOperations({
      ...deps,
      fill: (key, spec) => deps.contractOf(key.kind)?.defaults?.(spec, key) ?? spec,
      responseBytes: deps.settings['limits.responseBytes'],
      streamLimits: {
        events: deps.settings['limits.streamBufferEvents'],
        bytes: deps.settings['limits.streamBufferBytes'],
      },
    }),
  ),
  jobs: [changeTrim(deps)],
});

/**
 * Removes changes that are older than the history of watches. A clock that is set forward, wrongly perhaps, removes nothing
 * before its time: both clocks must find it old.
 */
export const changeTrim = (deps: {
  readonly store: Pick<Store, 'write' | 'now' | 'steadyNow'>;
  readonly settings: Pick<ManifestsModuleDeps['settings'], 'watch.historySeconds'>;
}): PeriodicJob => {
  const { store, settings } = deps;
  const keptMs = Math.max(settings['watch.historySeconds'], LEAST_HISTORY_MS);
  return {
    name: 'change-trim',
    everyMs: MINUTE_MS,
    tick: () =>
      trimInBatches(store, (tx, rows) => tx.resources.trimChanges(earlierNow(store) - keptMs * MICROS_PER_MS, rows)),
  };
};
