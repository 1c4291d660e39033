import type { Resource } from '@svc/api/resources';
import type { Client } from '@svc/client';

const SEARCHED_PAGES = 20;
const PAGE = 1_000;

/** Resources of the namespace and of those below it that name the resource as their owner; at most only the first 20,000 are checked. */
export const dependentsOf = async (
  client: Pick<Client, 'resources'>,
  { ns, uid }: { readonly ns: string; readonly uid: string },
  signal?: AbortSignal,
): Promise<readonly Resource[]> => {
  const found: Resource[] = [];
  let pageToken = '';
  for (let page = 0; page < SEARCHED_PAGES; page++) {
    const asked = { ns, recursive: true, metadataOnly: true, pageSize: PAGE, pageToken };
    const { resources, nextPageToken } = await client.resources.listResources(asked, { signal });
    found.push(...resources.filter(({ metadata }) => metadata?.ownerReferences.some((owner) => owner.uid === uid)));
    if (nextPageToken === '') break;
    pageToken = nextPageToken;
  }
  return found;
};
