import type { Method } from '@svc/api/methods';

const LATER = /^svc\.(gateway\.WorkflowService|external\.ConnectorService)\//;

/** True for what begins with later work: workflow runs, callbacks of connectors. */
export const isLater = ({ service, name }: Pick<Method, 'service' | 'name'>): boolean =>
  LATER.test(`${service}/${name}`);
