import type { Grant } from '@svc/api/data';
import type { Client } from '@svc/client';
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
  const found: NamespaceEntry[] = [];
  let pageToken = '';
  do {
    const asked = { recursive: true, pageSize: PAGE, pageToken };
    const page = await client.gateway.listNamespaces(parent === undefined ? asked : { ...asked, parent }, { signal });
    for (const { metadata, spec } of page.namespaces)
      found.push({ name: metadata?.name ?? '', parent: spec?.parent ?? '' });
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
};
