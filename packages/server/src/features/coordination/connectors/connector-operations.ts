import { ConnectorService } from '@svc/api/external';
import { DeliveryService } from '@svc/api/gateway';
import { type Operation, operator, registeredConnector, unserved, viewer } from '../../../operations/index.ts';

const { method: deliveries } = DeliveryService;
const { method: callbacks } = ConnectorService;

/** The operations of DeliveryService and ConnectorService. Connectors take and deliver nothing yet, so none is served. */
export const connectorOperations: readonly Operation[] = [
  unserved(deliveries.listDeliveries, { access: viewer('fields') }),
  unserved(deliveries.retryDelivery, { access: operator('fields') }),
  unserved(deliveries.releaseDelivery, { access: operator('fields') }),
  unserved(deliveries.skipDelivery, { access: operator('fields') }),
  unserved(callbacks.ingestMessageEvent, { access: registeredConnector }),
  unserved(callbacks.reportStatus, { access: registeredConnector }),
];
