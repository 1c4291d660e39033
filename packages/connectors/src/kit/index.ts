/**
 * kit: what every connector needs. It serves what svc calls (registration, deliveries, typing), calls svc back (events, files, status),
 * and acknowledges to the platform only what svc has taken. It knows no platform; one is written against contract.ts.
 */
export { ConnectorService, type ConnectorServiceOptions, WEBHOOK_PATH } from './connector-service.ts';
export {
  type ConnectorHost,
  type ConnectorLog,
  type Delivery,
  DeliveryFailure,
  type InboundAttachment,
  type InboundEvent,
  NotTaken,
  type OutboundFile,
  type Place,
  type Platform,
  type Sender,
} from './contract.ts';
export { type ListeningConnector, listen } from './listen.ts';
