/**
 * features/coordination/connectors/ingest: what connector services send: events, of which each is accepted once, and reports of their
 * connection. What becomes of an accepted event is decided in `consumers`.
 */
export { IngestService } from './ingest-service.ts';
export { reportStatus, type StatusReportDeps } from './status-reports.ts';
