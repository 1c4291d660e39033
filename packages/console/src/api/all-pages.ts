/** One page of a list, and the token of the next; '' behind the last. */
interface Page {
  readonly nextPageToken: string;
}

/** All pages of a list, one after the other. `load` gets '' for the first. */
export const allPages = async <P extends Page>(load: (pageToken: string) => Promise<P>): Promise<readonly P[]> => {
  const pages: P[] = [];
  let pageToken = '';
  do {
    const page = await load(pageToken);
    pages.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return pages;
};
