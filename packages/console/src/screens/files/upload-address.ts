/** Where a server takes the bytes of an upload itself. */
const SERVER_PATH = '/v1/uploads/';

/**
 * Where to send the bytes of an upload. A link to this server names its public address, which may be another one than that of the page
 * (`page`, absolute): the policy of the page lets it send only to where it came from. Links to a store elsewhere stay as they are.
 */
export const uploadAddress = (link: string, page: string): string => {
  const { pathname, search } = new URL(link, page);
  return pathname.startsWith(SERVER_PATH) ? pathname + search : link;
};
