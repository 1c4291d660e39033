import type { ReadTx, SearchPlace } from '../../../store/contracts/index.ts';

/** A document, or a folder of documents, as a listing shows it. */
export interface LibraryEntry {
  /** Of a folder: ends with `/`. */
  readonly path: string;
  readonly namespace: string;
  /** Micros; undefined for a folder. */
  readonly updatedAt: number | undefined;
}

interface Listing {
  /** Nearest first. */
  readonly namespaces: readonly string[];
  /** '' or a path that ends with `/`. */
  readonly prefix: string;
  readonly isRecursive: boolean;
}

const BATCH = 50;
/** Appended to a prefix: sorts after every path with that prefix, by bytes of UTF-8. */
const PAST_ALL = '\u{10ffff}';

/** What lies below a folder, nearest namespace first, then by path; unless recursive, a folder in it is one entry. */
export const libraryEntries = async (
  reads: Pick<ReadTx, 'search'>,
  listing: Listing,
  limit: number,
): Promise<{ readonly entries: readonly LibraryEntry[]; readonly isCut: boolean }> => {
  const entries: LibraryEntry[] = [];
  const folders = new Set<string>();
  for (const place of listing.namespaces)
    for await (const entry of entriesIn(reads, place, listing)) {
      if (entry.updatedAt === undefined && folders.has(entry.path)) continue;
      if (entries.length === limit) return { entries, isCut: true };
      if (entry.updatedAt === undefined) folders.add(entry.path);
      entries.push(entry);
    }
  return { entries, isCut: false };
};

async function* entriesIn(
  reads: Pick<ReadTx, 'search'>,
  place: string,
  listing: Listing,
): AsyncGenerator<LibraryEntry> {
  const { namespaces, prefix, isRecursive } = listing;
  let after = prefix;
  for (;;) {
    const found = await reads.search.directory({
      kind: 'Knowledge',
      namespaces,
      after: { namespace: place, path: after },
      // A folder is shown once, so only its first document is read.
      limit: isRecursive ? BATCH : 1,
    });
    if (found.length === 0) return;
    for (const each of found) {
      if (each.namespace !== place || !each.path.startsWith(prefix)) return;
      const entry = entryOf(each, listing);
      after = entry.updatedAt === undefined ? `${entry.path}${PAST_ALL}` : entry.path;
      yield entry;
    }
  }
}

const entryOf = ({ path, namespace, updatedAt }: SearchPlace, { prefix, isRecursive }: Listing): LibraryEntry => {
  const slash = isRecursive ? -1 : path.indexOf('/', prefix.length);
  return slash < 0
    ? { path, namespace, updatedAt }
    : { path: path.slice(0, slash + 1), namespace, updatedAt: undefined };
};
