/**
 * settled: what `svc wait` and `svc apply --wait` take for done, failed or still open. Reads statuses and, for deployments, what
 * they depend on; how long to wait and what to print is decided by the commands that call it.
 */
export { concernedDeployments, settledStanding } from './deployment-standing.ts';
export { deploymentsInReach } from './deployments-in-reach.ts';
export { FAILURE_GRACE_MS, idleText, type Standing } from './standing.ts';
