import type { Method } from '@svc/api/methods';

const LATER =
  /^svc\.(gateway\.(WorkflowService|DeliveryService)\/|external\.ConnectorService\/)|\/(RunSchedule|CreateBackup)$/;

/** True for what begins with later work: workflow runs, deliveries, callbacks of connectors, firing of schedules, backups. */
export const isLater = ({ service, name }: Pick<Method, 'service' | 'name'>): boolean =>
  LATER.test(`${service}/${name}`);
