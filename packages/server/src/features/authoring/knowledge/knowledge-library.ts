import { KnowledgeSpecSchema } from '@svc/api/resources';
import { notFound } from '../../../base/index.ts';
import { recordKey, SpecReader } from '../../../resources/index.ts';
import type { ReadTx, SearchHit, SearchPlace } from '../../../store/contracts/index.ts';
import { isKnowledgePath, normalPath } from './knowledge-rules.ts';
import { libraryEntries } from './library-entries.ts';
import { type FusedHit, fuse, pathFit, queryParts, rankBy } from './search-ranking.ts';
import { queryTerms } from './search-words.ts';
import { snippetOf } from './snippet.ts';

/** What documents of an agent are read through. */
export type LibraryReads = Pick<ReadTx, 'resources' | 'search'>;

export interface KnowledgeLibraryDeps {
  /** The namespace and its ancestors, nearest first; [] for a deleted one. */
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
}

/** What a query means, as the vectors of a model say it; or why a search goes by words only. */
export type Meant = { readonly model: string; readonly vector: Float32Array } | { readonly notice: string };

/** A query that has been checked. */
export interface LibraryQuery {
  readonly query: string;
  readonly limit: number;
  /** Absent: the search goes by words. */
  readonly meant?: Meant | undefined;
}

/** A document as agents see it. */
export interface KnowledgeDocument {
  readonly path: string;
  readonly content: string;
  /** Micros. */
  readonly updatedAt: number;
  readonly namespace: string;
  readonly name: string;
}

export interface FoundDocument {
  /** Kind and name of the resource that holds it. */
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly snippet: string;
  /** In (0, 1]. */
  readonly score: number;
  /** Micros. */
  readonly updatedAt: number;
  readonly namespace: string;
}

export interface LibraryPage {
  readonly documents: readonly KnowledgeDocument[];
  /** Where the next page begins (exclusive); undefined at the end. */
  readonly next: { readonly namespace: string; readonly path: string } | undefined;
}

/** Documents that one list of a search may bring in. */
const CANDIDATES = 200;
/** Documents that the list by meaning brings in: every document is near to some degree. */
const NEAREST = 50;
/** Texts about different things have a cosine near 0. */
const LEAST_COSINE = 0.1;
const BATCH = 50;
const KIND = 'Knowledge';

/** Knowledge as the agents of a namespace see it: own and inherited, the nearest of each path. */
export class KnowledgeLibrary {
  readonly #deps: KnowledgeLibraryDeps;
  readonly #specs = new SpecReader(256);

  constructor(deps: KnowledgeLibraryDeps) {
    this.#deps = deps;
  }

  /** Nearest namespace first, then by path; cut short at `bytes`, but never empty where there is a document. */
  async list(
    reads: LibraryReads,
    namespace: string,
    page: { readonly size: number; readonly bytes: number; readonly after?: LibraryPage['next'] },
  ): Promise<LibraryPage> {
    const namespaces = await this.#deps.visibleNamespaces(reads, namespace);
    const documents: KnowledgeDocument[] = [];
    let bytes = 0;
    let { after } = page;
    for (;;) {
      const places = await reads.search.directory({
        kind: KIND,
        namespaces,
        limit: BATCH,
        ...(after === undefined ? {} : { after }),
      });
      for (const place of places) {
        const document = await this.#read(reads, place);
        bytes += Buffer.byteLength(document.content) + place.path.length;
        const isFull = documents.length === page.size || (bytes > page.bytes && documents.length > 0);
        if (isFull) return { documents, next: after };
        documents.push(document);
        after = { namespace: place.namespace, path: place.path };
      }
      if (places.length < BATCH) return { documents, next: undefined };
    }
  }

  /** True when there is nothing that a search could find. */
  async isEmpty(reads: LibraryReads, namespace: string): Promise<boolean> {
    const namespaces = await this.#deps.visibleNamespaces(reads, namespace);
    for (const kind of [KIND, 'File'])
      if ((await reads.search.directory({ kind, namespaces, limit: 1 })).length > 0) return false;
    return true;
  }

  /** Paths below a folder ('' = all), nearest namespace first, then by path; unless recursive, a folder is one entry. */
  async entries(
    reads: LibraryReads,
    namespace: string,
    asked: { readonly folder: string; readonly isRecursive: boolean; readonly limit: number },
  ): ReturnType<typeof libraryEntries> {
    const namespaces = await this.#deps.visibleNamespaces(reads, namespace);
    const prefix = asked.folder === '' ? '' : `${asked.folder}/`;
    return libraryEntries(reads, { namespaces, prefix, isRecursive: asked.isRecursive }, asked.limit);
  }

  /**
   * In each namespace from near to far the document of exactly this path, else the only one whose path equals it or ends with
   * it, ignoring case. Throws KNOWLEDGE_NOT_FOUND.
   */
  async get(reads: LibraryReads, namespace: string, path: string): Promise<KnowledgeDocument> {
    const wanted = normalPath(path);
    const namespaces = isKnowledgePath(wanted) ? await this.#deps.visibleNamespaces(reads, namespace) : [];
    for (const place of namespaces) {
      const found = await this.#findIn(reads, { place, namespaces, path: wanted });
      if (found !== undefined) return this.#read(reads, found);
    }
    throw notFound(KIND, { ns: namespace, path });
  }

  /** Ranked by words, by path and by meaning. */
  async search(reads: LibraryReads, namespace: string, asked: LibraryQuery): Promise<readonly FoundDocument[]> {
    return this.searchPlaces(reads, await this.#deps.visibleNamespaces(reads, namespace), asked);
  }

  /** The same in any places of the index, nearest first; `keep` leaves out documents that are not meant. */
  async searchPlaces(
    reads: Pick<LibraryReads, 'search'>,
    places: readonly string[],
    asked: LibraryQuery & {
      readonly keep?: (hit: Pick<SearchPlace, 'kind' | 'name'>) => Promise<boolean>;
    },
  ): Promise<readonly FoundDocument[]> {
    const { query, limit, meant, keep } = asked;
    const terms = queryTerms(query);
    const scope = { namespaces: places, limit: CANDIDATES };
    const byText = await reads.search.match({ ...scope, terms });
    const byPath = await reads.search.matchPath({ ...scope, parts: queryParts(query) });
    const fitting = byPath.filter((hit) => pathFit(hit.path, query) > 0);
    const lists = [rankBy(byText, (hit) => hit.score), rankBy(fitting, (hit) => pathFit(hit.path, query))];
    const byMeaning = await nearest(reads, scope.namespaces, { meant, others: [...byText, ...fitting] });
    // Documents that have no vectors yet, all of them: the list is left out and lowers no score.
    if (byMeaning.length > 0) lists.push(rankBy(byMeaning, (hit) => hit.score));
    const found: FoundDocument[] = [];
    for (const each of fuse(lists, places)) {
      if (found.length === limit) break;
      if (keep === undefined || (await keep(each.hit))) found.push(shown(each, terms));
    }
    return found;
  }

  async #findIn(
    reads: LibraryReads,
    wanted: { readonly place: string; readonly namespaces: readonly string[]; readonly path: string },
  ): Promise<SearchPlace | undefined> {
    const { place, namespaces, path } = wanted;
    // Nearer namespaces come along so that what they hide is not found.
    const upTo = namespaces.slice(0, namespaces.indexOf(place) + 1);
    const inPlace = async (filter: { readonly path: string } | { readonly suffix: string }) =>
      (await reads.search.directory({ kind: KIND, namespaces: upTo, limit: CANDIDATES, ...filter })).filter(
        (found) => found.namespace === place,
      );
    const [exact] = await inPlace({ path });
    if (exact !== undefined) return exact;
    const [only, ...others] = await inPlace({ suffix: path });
    return others.length === 0 ? only : undefined;
  }

  async #read(reads: LibraryReads, place: SearchPlace): Promise<KnowledgeDocument> {
    const { namespace, name, path } = place;
    const record = await reads.resources.get(recordKey(KIND, namespace, name));
    const content = record === undefined ? '' : this.#specs.read(KnowledgeSpecSchema, record).content;
    return { path, content, updatedAt: place.updatedAt, namespace, name };
  }
}

/** Documents near in meaning; [] while there are no vectors, of them or of the query. */
const nearest = async (
  reads: Pick<LibraryReads, 'search'>,
  namespaces: readonly string[],
  { meant, others }: { readonly meant: Meant | undefined; readonly others: readonly SearchHit[] },
): Promise<readonly SearchHit[]> => {
  if (meant === undefined || 'notice' in meant) return [];
  const found = [...new Set(others.map(({ source }) => source))];
  const hits = await reads.search.nearest({ ...meant, namespaces, found, limit: NEAREST });
  return hits.filter(({ score }) => score >= LEAST_COSINE);
};

const shown = ({ hit, score }: FusedHit, terms: readonly string[]): FoundDocument => ({
  kind: hit.kind,
  name: hit.name,
  path: hit.path,
  snippet: snippetOf(hit.text, terms),
  score,
  updatedAt: hit.updatedAt,
  namespace: hit.namespace,
});
