/**
 * features/platform/workers: the record of every process: registration, heartbeat, loss and draining. Claims never depend
 * on it; people and the routing of turns do. app wires it and says how a process drains.
 */

export { workerOperations } from './worker-operations.ts';
export { workerContract } from './worker-records.ts';
export { WorkerRegistration } from './worker-registration.ts';
export { HEARTBEAT_MS } from './worker-rules.ts';
export { WorkerWatch } from './worker-watch.ts';
