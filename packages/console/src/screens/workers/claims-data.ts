import type { WorkerClaim } from '@svc/api/gateway';
import { allPages } from '../../api/all-pages.ts';
import { useRead } from '../../api/use-call.ts';

/** What a worker holds now; loaded again when turns, runs or deliveries move. */
export const useWorkerClaims = (name: string) =>
  useRead<readonly WorkerClaim[]>({
    key: ['ListWorkerClaims', name],
    call: async (client, signal) => {
      const pages = await allPages((pageToken) => client.admin.listWorkerClaims({ name, pageToken }, { signal }));
      return pages.flatMap(({ claims }) => claims);
    },
    shows: { kinds: ['Worker', 'Sandbox', 'Schedule'], topics: ['turn', 'run', 'delivery'] },
    keepsFormer: false,
  });
