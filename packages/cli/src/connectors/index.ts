/**
 * connectors: runs a connector that comes with svc, as a program of its own or inside `svc up`. The connectors themselves are in
 * @svc/connectors, which is loaded only when one runs.
 */
export { startEmbedded } from './embedded.ts';
export { listPlatforms, type RunConnectorOptions, runConnector } from './run.ts';
