import type { Method } from '@svc/api/methods';

const LATER = /^svc\.gateway\.(WorkflowService|DeliveryService)\//;

/** True for what begins with later work: workflow runs, deliveries. */
export const isLater = ({ service, name }: Pick<Method, 'service' | 'name'>): boolean =>
  LATER.test(`${service}/${name}`);
