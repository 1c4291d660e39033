import type { ShippedConnector } from './shipped-connector.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';

/** Every connector that comes with svc, in the order of the documentation. */
export const shippedConnectors: readonly ShippedConnector[] = [slack, telegram];
