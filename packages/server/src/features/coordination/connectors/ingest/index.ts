/**
 * features/coordination/connectors/ingest: what connector services send: events, of which each is accepted once, and reports of their
 * connection. What becomes of an accepted event is decided in `consumers`. `explainEvent` says what would become of one: it takes the same way
 * and undoes it.
 */
export { type ExplainEventDeps, explainEvent } from './explain-event.ts';
export { type IngestDeps, IngestService } from './ingest-service.ts';
export { reportStatus, type StatusReportDeps } from './status-reports.ts';
