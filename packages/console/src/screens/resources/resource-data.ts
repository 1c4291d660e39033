import type { Resource } from '@svc/api/resources';
import { type Client, SvcError } from '@svc/client';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { usePages, useRead } from '../../api/use-call.ts';

/** What names one resource. */
export interface ResourceAddress {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
  /** Of kinds that live below another resource, such as a ChannelSubscription; else ''. */
  readonly parent: string;
}

/** As text for an address of the page. */
export const addressText = ({ kind, ns, name, parent }: ResourceAddress): string => [kind, ns, name, parent].join('/');

/** Reads `addressText` back. */
export const addressOf = (text: string): ResourceAddress => {
  const [kind = '', ns = '', name = '', parent = ''] = text.split('/');
  return { kind, ns, name, parent };
};

/** The address of a resource of a list. A subscription says its channel, a session its agent. */
export const addressOfResource = ({ kind, metadata, spec }: Resource): ResourceAddress => {
  const name = metadata?.name ?? '';
  const own = spec?.kind;
  const parent =
    own?.case === 'channelSubscription' ? own.value.channel : own?.case === 'session' ? own.value.agent : '';
  return { kind, ns: kind === 'Namespace' ? name : (metadata?.namespace ?? ''), name, parent };
};

interface ListedPage {
  readonly resources: readonly Resource[];
  readonly nextPageToken: string;
}

/** Few, so that they are soon there; the server answers at most 200. */
const FIRST_PAGE = 60;
const PAGE = 200;

/** Resources of a kind in a namespace; `-` is all of them. */
export const useResources = (
  kind: string,
  ns: string,
  filter: { readonly labelSelector?: string; readonly recursive?: boolean } = {},
): UseInfiniteQueryResult<{ readonly pages: readonly ListedPage[] }> =>
  usePages<ListedPage>({
    key: ['ListResources', kind, ns, filter],
    call: (client, pageToken, signal) => {
      const pageSize = pageToken === '' ? FIRST_PAGE : PAGE;
      return client.resources.listResources({ kind, ns, ...filter, pageSize, pageToken }, { signal });
    },
    nextToken: (page) => page.nextPageToken,
    shows: { kinds: [kind] },
  });

/** Every resource of a kind in a namespace, for lists that are looked through as a whole. */
export const useEveryResource = (
  kind: string,
  ns: string,
  filter: { readonly recursive?: boolean } = {},
): UseQueryResult<readonly Resource[]> =>
  useRead({
    key: ['ListResources', 'every', kind, ns, filter],
    call: async (client, signal) => {
      const asked = { kind, ns, ...filter };
      const pages = await allPages((pageToken) => client.resources.listResources({ ...asked, pageToken }, { signal }));
      return pages.flatMap(({ resources }) => resources);
    },
    shows: { kinds: [kind] },
  });

/** One resource. Of a Secret without its values: reading those is an act of its own, which is audited. */
export const loadResource = async (
  client: Client,
  address: ResourceAddress,
  signal?: AbortSignal,
): Promise<Resource> => {
  const { kind, ns, name, parent } = address;
  const found =
    kind === 'Secret'
      ? await findListed(client, address, signal)
      : (await client.resources.getResource({ kind, ns, name, parent }, { signal })).resource;
  if (found === undefined)
    throw new SvcError({
      code: 'NOT_FOUND',
      reason: `${kind.toUpperCase()}_NOT_FOUND`,
      message: `${kind} ${name} not found`,
    });
  return found;
};

const findListed = async (
  client: Client,
  { kind, ns, name }: ResourceAddress,
  signal: AbortSignal | undefined,
): Promise<Resource | undefined> => {
  let pageToken = '';
  do {
    const page = await client.resources.listResources({ kind, ns, pageToken }, { signal });
    const found = page.resources.find(({ metadata }) => metadata?.name === name);
    if (found !== undefined) return found;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return undefined;
};

export const useResource = (address: ResourceAddress): UseQueryResult<Resource> =>
  useRead({
    key: ['GetResource', address],
    call: (client, signal) => loadResource(client, address, signal),
    shows: { kinds: [address.kind] },
    enabled: address.name !== '',
    keepsFormer: false,
  });

/** The command line that shows the resource. */
export const commandOf = ({ kind, ns, name }: ResourceAddress): string =>
  `svc get ${kind.toLowerCase()} ${name}${kind === 'Namespace' ? '' : ` -n ${ns}`} -o yaml`;

/** The REST path that answers it. */
export const pathOf = ({ kind, ns, name, parent }: ResourceAddress): string =>
  `/v1/ns/${encodeURIComponent(ns)}/resources/${kind}/${encodeURIComponent(name)}${parent === '' ? '' : `?parent=${encodeURIComponent(parent)}`}`;
