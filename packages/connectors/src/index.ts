/**
 * Connectors of svc: the kit to write one, and those that come with svc. `svc connector run` is the program around it; docs/connector-kit.md
 * shows how to write another one.
 */
export { AdapterMissing } from './bridge/index.ts';
export {
  type ConnectorHost,
  type ConnectorLog,
  ConnectorService,
  type ConnectorServiceOptions,
  type Delivery,
  DeliveryFailure,
  type InboundAttachment,
  type InboundEvent,
  type ListeningConnector,
  listen,
  NotTaken,
  type OutboundFile,
  type Place,
  type Platform,
  type Sender,
  WEBHOOK_PATH,
} from './kit/index.ts';
export { type ShippedConnector, shippedConnectors } from './platforms/index.ts';
export { type Setting, SettingError, Settings } from './settings.ts';
