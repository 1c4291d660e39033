import type { Method } from '@svc/api/methods';

const LATER = /^svc\.(gateway\.(WorkflowService|DeliveryService)\/|external\.ConnectorService\/)|\/RunSchedule$/;

/** True for what begins with later work: workflow runs, deliveries, callbacks of connectors, firing of schedules. */
export const isLater = ({ service, name }: Pick<Method, 'service' | 'name'>): boolean =>
  LATER.test(`${service}/${name}`);
