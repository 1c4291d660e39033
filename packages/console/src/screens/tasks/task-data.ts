import type { TaskPhase } from '@svc/api/resources';
import { usePages, useRead, useWrite } from '../../api/use-call.ts';
import { cardOf } from './task-facts.ts';

export const useTasks = (ns: string) =>
  usePages({
    key: ['tasks', ns],
    call: (client, pageToken, signal) => client.resources.listResources({ ns, kind: 'Task', pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: { kinds: ['Task'] },
  });

export const useTask = (ns: string, name: string) =>
  useRead({
    key: ['GetResource', 'Task', ns, name],
    call: async (client, signal) => {
      const { resource } = await client.resources.getResource({ kind: 'Task', ns, name }, { signal });
      return resource && { card: cardOf(resource), version: resource.metadata?.resourceVersion ?? '' };
    },
    shows: { kinds: ['Task'] },
    keepsFormer: false,
  });

interface Move {
  readonly phase: TaskPhase;
  readonly summary: string;
  /** The version that the person saw. */
  readonly version: string;
}

export const useMove = (ns: string, name: string, onDone: () => void) =>
  useWrite(
    (client, { phase, summary, version }: Move) =>
      client.tasks.updateTask({ ns, name, phase, progressSummary: summary, resourceVersion: version }),
    { changes: { kinds: ['Task'] }, onDone },
  );
