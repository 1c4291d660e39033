/**
 * server-process: the product as its own operating system process, started, stopped, killed and restarted by tests.
 * Knows the command line and the configuration variables, nothing of the API beyond `/readyz`. Called by every e2e test.
 */
export { freePort } from './free-port.ts';
export { ServerProcess } from './server-process.ts';
export { until } from './until.ts';
