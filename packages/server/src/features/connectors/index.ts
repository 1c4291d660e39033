/**
 * features/connectors: connector classes and connectors as resources: their rules, the routes a connector wants, and what can
 * be known about both without talking to the outside (CO-2.1, 2.4, 2.5). Registration, ingest and delivery are not here.
 */
export { type ConnectorClassKindDeps, connectorClassContract } from './class-kind.ts';
export { type ConnectorKindDeps, connectorContract } from './connector-kind.ts';
