import type { Clock } from '../../../base/index.ts';
import type { AppendAudit, ResourceWriter } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { WorkerClaimsDeps } from './worker-claims.ts';
import { workerOperations } from './worker-operations.ts';
import { workerContract } from './worker-records.ts';
import { WorkerRegistration, type WorkerRegistrationDeps } from './worker-registration.ts';
import { HEARTBEAT_MS, type WorkerFacts } from './worker-rules.ts';
import { WorkerWatch } from './worker-watch.ts';

interface WorkersModuleDeps extends Pick<WorkerRegistrationDeps, 'workerId' | 'version' | 'drain'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly writer: ResourceWriter;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
  readonly sources: WorkerClaimsDeps['sources'];
  /** Where callers reach the process, for a record without endpoints of its own. */
  readonly publicUrl: string;
  readonly settings: {
    readonly 'worker.endpoints'?:
      | readonly { readonly url?: string; readonly protocol?: string; readonly audience?: string }[]
      | undefined;
  };
}

export interface WorkersModule extends FeatureModule {
  /** Makes the record of this process. */
  start(): Promise<void>;
  /** Removes it. */
  close(): Promise<void>;
}

/** The kind Worker with DrainWorker, the record of this process, and the watch over those of others. */
export const workersModule = (deps: WorkersModuleDeps): WorkersModule => {
  const writer = (): ResourceWriter => deps.writer;
  const registration = new WorkerRegistration({
    ...deps,
    writer,
    endpoints: endpointsOf(deps),
    isBusReachable: () => true,
  });
  const watch = new WorkerWatch({ ...deps, writer });
  return {
    kinds: [workerContract()],
    reconcilers: [registration.reconciler()],
    jobs: [
      { name: 'worker-heartbeat', everyMs: HEARTBEAT_MS, tick: () => registration.heartbeat() },
      { name: 'worker-watch', everyMs: HEARTBEAT_MS, tick: () => watch.tick() },
    ],
    operations: workerOperations(deps),
    start: () => registration.heartbeat(),
    close: () => registration.close(),
  };
};

const endpointsOf = ({ settings, publicUrl }: WorkersModuleDeps): WorkerFacts['endpoints'] =>
  (settings['worker.endpoints'] ?? [{ url: publicUrl }]).map(
    ({ url = '', protocol = 'http', audience = '' }: { url?: string; protocol?: string; audience?: string }) => ({
      url,
      protocol,
      audience,
    }),
  );
