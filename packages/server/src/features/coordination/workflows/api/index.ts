/**
 * features/coordination/workflows/api: the operations of WorkflowService: runs as messages, their lists, and the stream of their events. What
 * runs do is decided in `runs`.
 */
export { RunService } from './run-service.ts';
export { RunStreams } from './run-streams.ts';
