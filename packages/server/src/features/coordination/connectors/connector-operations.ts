import { ConnectorService } from '@svc/api/external';
import { type ByteLimit, type Operation, operation, registeredConnector } from '../../../operations/index.ts';
import { type IngestService, reportStatus, type StatusReportDeps } from './ingest/index.ts';

const { method: callbacks } = ConnectorService;

interface ConnectorOperationsDeps extends StatusReportDeps {
  readonly ingest: IngestService;
  /** Of events and reports. */
  readonly bodyLimit: ByteLimit;
}

/** The operations of ConnectorService. */
export const connectorOperations = (deps: ConnectorOperationsDeps): readonly Operation[] => {
  const { ingest, bodyLimit } = deps;
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
  ];
};
