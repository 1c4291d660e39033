/**
 * connectors: runs a connector that comes with svc, as a program of its own or inside `svc up`; says what a message would do. The connectors themselves are in
 * @svc/connectors, which is loaded only when one runs.
 */
export { startEmbedded } from './embedded.ts';
export { type ExplainEventOptions, explainEvent } from './explain-event.ts';
export { listPlatforms, type RunConnectorOptions, runConnector } from './run.ts';
