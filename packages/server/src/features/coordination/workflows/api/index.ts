/**
 * features/coordination/workflows/api: the operations of WorkflowService: runs as messages, their lists, the stream of their events, the tools
 * of agents, and what trails show of runs. What runs do is decided in `runs`.
 */
export { RunActivities } from './run-activity.ts';
export { RunService } from './run-service.ts';
export { RunStreams } from './run-streams.ts';
export { runTools } from './run-tools.ts';
export { runTrail } from './run-trail.ts';
