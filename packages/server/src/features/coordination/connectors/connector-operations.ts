import { ConnectorService } from '@svc/api/external';
import { RoutingService } from '@svc/api/gateway';
import { type ByteLimit, type Operation, operation, operator, registeredConnector } from '../../../operations/index.ts';
import {
  type ExplainEventDeps,
  explainEvent,
  type IngestService,
  reportStatus,
  type StatusReportDeps,
} from './ingest/index.ts';

const { method: callbacks } = ConnectorService;

interface ConnectorOperationsDeps extends StatusReportDeps {
  readonly ingest: IngestService;
  readonly explaining: ExplainEventDeps;
  /** Of events and reports. */
  readonly bodyLimit: ByteLimit;
}

/** The operations of ConnectorService, and the one that says what an event would do. */
export const connectorOperations = (deps: ConnectorOperationsDeps): readonly Operation[] => {
  const { ingest, explaining, bodyLimit } = deps;
  const callback = { access: registeredConnector, bodyLimit, ignoresUnknown: true } as const;
  return [
    operation(callbacks.ingestMessageEvent, {
      ...callback,
      handle: (event, call) => ingest.ingest(event, call),
    }),
    operation(callbacks.reportStatus, {
      ...callback,
      handle: (event, call) => reportStatus(deps, event, call),
    }),
    operation(RoutingService.method.explainMessageEvent, {
      access: operator('fields'),
      handle: (request, call) => explainEvent(explaining, request, call),
    }),
  ];
};
