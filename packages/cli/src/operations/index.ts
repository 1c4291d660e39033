/** operations: commands for operators: limits and their use, processes, changes of resources, the audit log. */

export { type EventOptions, showEvents } from './events.ts';
export { type LogOptions, showLogs } from './logs.ts';
export { showUsage, type UsageOptions } from './usage.ts';
export { type ReportOptions, reportUsage } from './usage-report.ts';
export { drainWorker, listWorkerClaims, listWorkers } from './workers.ts';
