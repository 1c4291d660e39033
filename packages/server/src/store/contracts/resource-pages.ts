import type { ResourceQuery, ResourceReads, StoredResource } from './resource-store.ts';

/** Which resources; how far and how many at once is settled here. */
export type ResourceSelection = Omit<ResourceQuery, 'after' | 'limit'>;

/** Resources read at once. */
const PAGE = 500;

/**
 * Every resource of a selection in key order, in pages of at most 500; a page is read when it is asked for. Outside of a
 * transaction each page is a snapshot of its own: what is written meanwhile may be in a later one.
 */
export async function* resourcePages(
  reads: Pick<ResourceReads, 'list'>,
  selection: ResourceSelection,
): AsyncGenerator<readonly StoredResource[], void> {
  let after: StoredResource['key'] | undefined;
  for (;;) {
    const page = await reads.list({ ...selection, limit: PAGE, ...(after === undefined ? {} : { after }) });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.key;
  }
}

/** Every resource of a selection at once, for selections that are known to be small. */
export const everyResource = async (
  reads: Pick<ResourceReads, 'list'>,
  selection: ResourceSelection,
): Promise<readonly StoredResource[]> => {
  const found: StoredResource[] = [];
  for await (const page of resourcePages(reads, selection)) found.push(...page);
  return found;
};
