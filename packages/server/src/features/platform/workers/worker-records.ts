import { create } from '@bufbuild/protobuf';
import { WorkerSpecSchema, type WorkerStatus, WorkerStatusSchema } from '@svc/api/resources';
import { type KindContract, kindContract, systemOrigin } from '../../../controllers/contract.ts';
import { kindRow, messageFromText, parseJsonMap, recordKey, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type { ResourceKey } from '../../../store/contracts/index.ts';
import { EXPIRY_MICROS } from './worker-rules.ts';

/** On whose behalf worker records are written. */
export const WORKER_ORIGIN = systemOrigin('worker');

/** Worker records: the processes write their own status. */
export const workerContract = (): KindContract =>
  kindContract({
    kind: 'Worker',
    validate: () => [],
    observe: async (_tx, { current }) =>
      current === undefined
        ? create(WorkerStatusSchema, { observedGeneration: 1n, phase: 'ready' })
        : workerStatus(current),
  });

/** Key of the record of a process; all of them lie in `system`. */
export const workerKey = (name: string): ResourceKey => recordKey('Worker', SYSTEM_NAMESPACE, name);

export const emptyWorkerSpec = () => create(WorkerSpecSchema);

/** Stored status of a worker, without its times. */
export const workerStatus = (record: { readonly status: string }): WorkerStatus =>
  messageFromText(kindRow('Worker').status, record.status) as WorkerStatus;

/**
 * The times of a worker as they are kept next to its record: a heartbeat makes no new resource version. `heardUntil` is by the
 * clock of the store and is not shown: a machine's clock that is set forward must not make living workers look dead.
 */
export const heartbeatActivity = (times: { readonly now: number; readonly steadyNow: number }): string =>
  JSON.stringify({
    heartbeatAt: String(times.now),
    expiresAt: String(times.now + EXPIRY_MICROS),
    heardUntil: String(times.steadyNow + EXPIRY_MICROS),
  });

/** When a worker counts as lost, by the clock of the store; 0 when it never gave a sign. */
export const heardUntil = (activity: string | undefined): number => {
  const times = parseJsonMap(activity ?? '{}') ?? {};
  return Number(times['heardUntil'] ?? times['expiresAt'] ?? 0);
};
