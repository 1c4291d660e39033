import type { Namespace } from '@svc/api/resources';
import type { Client } from '@svc/client';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useAccess, useCan } from '../../access/access-context.ts';
import { allPages } from '../../api/all-pages.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { notify } from '../../ui/notices.tsx';
import { keptMetadata } from '../resources/index.ts';
import { texts } from './texts.ts';

const CHANGES = { kinds: ['Namespace'] };
const PAGE = 200;

/** The namespaces that the person may see, deleted ones that can be brought back included. */
export const useNamespaces = (): UseQueryResult<readonly Namespace[]> => {
  const { namespaces, whoAmI } = useAccess();
  const isEverywhere = whoAmI.grants.some(({ namespace }) => namespace === undefined);
  const roots = isEverywhere ? [undefined] : namespaces.rows.filter(({ depth }) => depth === 0).map(({ name }) => name);
  return useRead({
    key: ['ListNamespaces', 'includeDeleted', roots],
    call: async (client, signal) => {
      const lists = await Promise.all(roots.map((root) => listBelow(client, root, signal)));
      const own = await Promise.all(
        roots.map(async (name) =>
          name === undefined ? [] : [(await client.gateway.getNamespace({ name }, { signal })).namespace],
        ),
      );
      return [...own.flat().filter((each) => each !== undefined), ...lists.flat()];
    },
    shows: CHANGES,
  });
};

const listBelow = async (
  client: Client,
  parent: string | undefined,
  signal: AbortSignal,
): Promise<readonly Namespace[]> => {
  const pages = await allPages((pageToken) => {
    const asked = { recursive: true, includeDeleted: true, pageSize: PAGE, pageToken };
    return client.gateway.listNamespaces(parent === undefined ? asked : { ...asked, parent }, { signal });
  });
  return pages.flatMap(({ namespaces }) => namespaces);
};

/** How many resources of each kind a namespace holds. */
export const useHoldings = (ns: string): UseQueryResult<readonly (readonly [kind: string, count: number])[]> =>
  useRead({
    key: ['ListResources', 'holdings', ns],
    call: async (client, signal) => {
      const counts = new Map<string, number>();
      const asked = { ns, metadataOnly: true, pageSize: 1_000 };
      const pages = await allPages((pageToken) => client.resources.listResources({ ...asked, pageToken }, { signal }));
      for (const { kind } of pages.flatMap(({ resources }) => resources))
        if (kind !== 'Namespace') counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
    },
    enabled: ns !== '',
  });

/** Where the person may create a namespace: names of parents, and '' for the root of the instance. */
export const useNewParents = (): readonly string[] => {
  const { namespaces } = useAccess();
  const can = useCan();
  const below = namespaces.rows.map(({ name }) => name).filter((ns) => can('admin', { ns }));
  return can('admin', { isEverywhere: true }) ? ['', ...below] : below;
};

export interface NewNamespace {
  readonly name: string;
  readonly parent: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const useCreateNamespace = (onDone: (name: string) => void): UseMutationResult<unknown, Error, NewNamespace> =>
  useWrite<NewNamespace, unknown>(
    (client, { name, parent, labels }) =>
      client.gateway.createNamespace({ name: parent === '' ? name : `${parent}:${name}`, labels, recursive: false }),
    {
      changes: CHANGES,
      onDone: (_answer, { name, parent }) => {
        const full = parent === '' ? name : `${parent}:${name}`;
        notify(texts.created(full));
        onDone(full);
      },
    },
  );

interface WrittenLabels {
  readonly labels: Readonly<Record<string, string>>;
  /** That must still be stored: the one that the labels were begun with. */
  readonly version: string;
}

/** Replaces the labels that people wrote; nothing else of the namespace can change. */
export const useLabels = (namespace: Namespace): UseMutationResult<unknown, Error, WrittenLabels> =>
  useWrite<WrittenLabels, unknown>(
    (client, { labels, version }) => {
      const kept = { ...keptMetadata(namespace.metadata), resourceVersion: version };
      const spec = { kind: { case: 'namespace' as const, value: { parent: namespace.spec?.parent ?? '' } } };
      const manifest = { kind: 'Namespace', metadata: { ...kept, labels: { ...labels } }, spec };
      return client.resources.applyResource({ ns: kept.name, kind: 'Namespace', name: kept.name, manifest });
    },
    { changes: CHANGES, onDone: () => notify(texts.saved(namespace.metadata?.name ?? '')) },
  );

/** Deletes with a grace time, or with `purge` for good. */
export const useRemoveNamespace = (name: string): UseMutationResult<unknown, Error, { readonly purge: boolean }> =>
  useWrite<{ readonly purge: boolean }, unknown>(
    (client, { purge }) => client.gateway.deleteNamespace({ name, purge }),
    { changes: CHANGES, onDone: (_answer, { purge }) => notify(purge ? texts.purged(name) : texts.removed(name)) },
  );

/** Brings a deleted namespace back. Creating replaces its labels, so they are sent along. */
export const useRestoreNamespace = (namespace: Namespace): UseMutationResult<unknown, Error, void> =>
  useWrite<void, unknown>(
    (client) => {
      const { name = '', labels = {}, annotations = {} } = namespace.metadata ?? {};
      const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('svc/')));
      return client.gateway.createNamespace({ name, labels, annotations: own, parent: namespace.spec?.parent ?? '' });
    },
    { changes: CHANGES, onDone: () => notify(texts.restored(namespace.metadata?.name ?? '')) },
  );
