/**
 * features/coordination/connectors/context: where a message of a platform came from, kept with the session message, channel message or run
 * that it became, with the labels that show it. Written by ingest in the transaction of the event; read by what delivers answers. Owns the
 * table `connectorContexts`.
 */
export * from './connector-context.ts';
export * from './event-facts-rules.ts';
export * from './event-labels.ts';
