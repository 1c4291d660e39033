/**
 * platforms: the connectors that come with svc, one file or folder each: what a user sets, what Connectors may match, how webhooks are verified,
 * and how the ids of the platform become those of svc. The code that they share is in `kit` and `bridge`.
 */
export type { ShippedConnector } from './shipped-connector.ts';
export { shippedConnectors } from './table.ts';
