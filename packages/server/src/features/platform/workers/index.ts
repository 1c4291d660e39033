/**
 * features/platform/workers: the record of every process: registration, heartbeat, loss and draining. Claims never depend
 * on it; people and the routing of turns do. app wires it and says how a process drains.
 */
export { workersModule } from './workers-module.ts';
