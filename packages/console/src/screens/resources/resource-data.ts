import type { Resource } from '@svc/api/resources';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
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

interface ListedPage {
  readonly resources: readonly Resource[];
  readonly nextPageToken: string;
}

/** Resources of a kind in a namespace; `-` is all of them. */
export const useResources = (
  kind: string,
  ns: string,
  labelSelector: string,
): UseInfiniteQueryResult<{ readonly pages: readonly ListedPage[] }> =>
  usePages<ListedPage>({
    key: ['ListResources', kind, ns, labelSelector],
    call: (client, pageToken, signal) =>
      client.resources.listResources({ kind, ns, labelSelector, pageSize: 200, pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: { kinds: [kind] },
  });

export const useResource = ({ kind, ns, name, parent }: ResourceAddress): UseQueryResult<Resource | undefined> =>
  useRead({
    key: ['GetResource', kind, ns, name, parent],
    call: async (client, signal) =>
      (await client.resources.getResource({ kind, ns, name, parent }, { signal })).resource,
    shows: { kinds: [kind] },
  });
