import type { Grant } from '@svc/api/data';
import type { Client } from '@svc/client';
import { allPages } from '../api/all-pages.ts';
import type { NamespaceEntry } from './namespace-tree.ts';

const PAGE = 1_000;

/** Every namespace that the grants cover. Grants for one agent or channel show the namespace they are in and no other. */
export const loadNamespaces = async (
  client: Client,
  grants: readonly Grant[],
  signal: AbortSignal,
): Promise<readonly NamespaceEntry[]> => {
  if (grants.some(({ namespace }) => namespace === undefined)) return listBelow(client, undefined, signal);
  const own = new Set(grants.map(({ namespace = '' }) => namespace));
  const whole = grants.filter(({ agent, channel }) => agent === undefined && channel === undefined);
  const lists = await Promise.all(whole.map(({ namespace }) => listBelow(client, namespace, signal)));
  const found = new Map([...own].map((name) => [name, { name, parent: '' }]));
  for (const entry of lists.flat()) found.set(entry.name, entry);
  return [...found.values()];
};

const listBelow = async (
  client: Client,
  parent: string | undefined,
  signal: AbortSignal,
): Promise<readonly NamespaceEntry[]> => {
  const pages = await allPages((pageToken) => {
    const asked = { recursive: true, pageSize: PAGE, pageToken };
    return client.gateway.listNamespaces(parent === undefined ? asked : { ...asked, parent }, { signal });
  });
  return pages.flatMap(({ namespaces }) =>
    namespaces.map(({ metadata, spec }) => ({ name: metadata?.name ?? '', parent: spec?.parent ?? '' })),
  );
};
