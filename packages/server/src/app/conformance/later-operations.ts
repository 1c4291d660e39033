import type { Method } from '@svc/api/methods';

/** True for what begins with later work: workflow runs. */
export const isLater = ({ service }: Pick<Method, 'service' | 'name'>): boolean =>
  service === 'svc.gateway.WorkflowService';
