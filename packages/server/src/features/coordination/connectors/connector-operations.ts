import { ConnectorService } from '@svc/api/external';
import { type Operation, registeredConnector, unserved } from '../../../operations/index.ts';

const { method: callbacks } = ConnectorService;

/** The operations of ConnectorService. Connectors take nothing yet, so none is served. */
export const connectorOperations: readonly Operation[] = [
  unserved(callbacks.ingestMessageEvent, { access: registeredConnector }),
  unserved(callbacks.reportStatus, { access: registeredConnector }),
];
