import type { Method } from '@svc/api/methods';

const LATER = /^svc\.(gateway\.DeliveryService\/|external\.ConnectorService\/)/;

/** True for what begins with later work: deliveries, callbacks of connectors. */
export const isLater = ({ service, name }: Pick<Method, 'service' | 'name'>): boolean =>
  LATER.test(`${service}/${name}`);
