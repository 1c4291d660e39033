import { ConnectorService } from '@svc/api/external';
import { DeliveryService } from '@svc/api/gateway';
import {
  type ByteLimit,
  type Operation,
  operation,
  operator,
  registeredConnector,
  unserved,
  viewer,
} from '../../../operations/index.ts';
import { type IngestService, reportStatus, type StatusReportDeps } from './ingest/index.ts';

const { method: deliveries } = DeliveryService;
const { method: callbacks } = ConnectorService;

interface ConnectorOperationsDeps extends StatusReportDeps {
  readonly ingest: IngestService;
  /** Of events and reports. */
  readonly bodyLimit: ByteLimit;
}

/** The operations of ConnectorService and DeliveryService. Nothing is delivered yet, so those of deliveries are not served. */
export const connectorOperations = (deps: ConnectorOperationsDeps): readonly Operation[] => {
  const { ingest, bodyLimit } = deps;
  const callback = { access: registeredConnector, bodyLimit, ignoresUnknown: true } as const;
  return [
    unserved(deliveries.listDeliveries, { access: viewer('fields') }),
    unserved(deliveries.retryDelivery, { access: operator('fields') }),
    unserved(deliveries.releaseDelivery, { access: operator('fields') }),
    unserved(deliveries.skipDelivery, { access: operator('fields') }),
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
