import { usePages, useRead } from '../../api/use-call.ts';
import { lineOfItem, lineOfResource, type SessionLine } from './session-line.ts';

interface SessionsPage {
  readonly lines: readonly SessionLine[];
  readonly nextPageToken: string;
}

interface SessionsQuery {
  readonly ns: string;
  /** '' for those of every agent. */
  readonly agent: string;
  readonly labelSelector: string;
}

const SHOWS = { kinds: ['Session'], topics: ['session'] };

/** Conversations: of one agent the most recently active first, of a namespace by their age. */
export const useSessions = ({ ns, agent, labelSelector }: SessionsQuery) =>
  usePages<SessionsPage>({
    key: ['sessions', ns, agent, labelSelector],
    call: async (client, pageToken, signal) => {
      if (agent !== '') {
        const page = await client.gateway.listSessions({ ns, agent, labelSelector, pageToken }, { signal });
        return { lines: page.sessions.map((item) => lineOfItem(item, ns, agent)), nextPageToken: page.nextPageToken };
      }
      const page = await client.resources.listResources({ kind: 'Session', ns, labelSelector, pageToken }, { signal });
      return {
        lines: page.resources.flatMap((resource) => lineOfResource(resource) ?? []),
        nextPageToken: page.nextPageToken,
      };
    },
    nextToken: (page) => page.nextPageToken,
    shows: SHOWS,
  });

/** Names of the agents of a namespace; none where every namespace is meant. */
export const useAgentNames = (ns: string): readonly string[] => {
  const found = useRead({
    key: ['names of agents', ns],
    call: async (client, signal) => {
      const page = await client.resources.listResources({ kind: 'Agent', ns }, { signal });
      return page.resources.flatMap(({ metadata }) => metadata?.name ?? []).sort();
    },
    shows: { kinds: ['Agent'] },
  });
  return found.data ?? [];
};
