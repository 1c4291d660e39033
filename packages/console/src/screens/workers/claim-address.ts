import type { WorkerClaim } from '@svc/api/gateway';
import { addresses } from '../../app/address.tsx';

type Claimed = Pick<WorkerClaim, 'kind' | 'id' | 'ns' | 'name' | 'agent' | 'sessionId'>;

/** The screen that shows what is held. */
export const claimAddress = ({ kind, id, ns, name, agent, sessionId }: Claimed): string => {
  switch (kind) {
    case 'turn':
      return `${addresses.session(ns, agent, sessionId)}?${new URLSearchParams({ view: 'timeline', turn: id })}`;
    case 'run':
      return addresses.run(ns, name, id);
    case 'schedule':
      return addresses.schedule(ns, name);
    case 'delivery':
      return addresses.deliveries(ns);
    default:
      return addresses.resource(ns, 'Sandbox', name);
  }
};
