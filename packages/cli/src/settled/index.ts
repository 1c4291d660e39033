/**
 * settled: whether `svc wait` and `svc apply --wait` consider a resource done, failed or pending. Reads statuses and, for deployments,
 * what they depend on; the commands that call it decide how long to wait and what to print.
 */
export { concernedDeployments, settledStanding } from './deployment-standing.ts';
export { deploymentsInReach } from './deployments-in-reach.ts';
export { FAILURE_GRACE_MS, idleText, type Standing } from './standing.ts';
