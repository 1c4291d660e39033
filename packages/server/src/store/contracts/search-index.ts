/**
 * Text search over documents that resources hold. The caller cuts documents into chunks and queries into terms, and ranks;
 * the store keeps chunks, finds them and weighs them (SQLite FTS5 BM25, PostgreSQL text search). Written in the transaction
 * of the resource, so that a document is found as soon as its write is committed.
 */

export interface SearchChunk {
  /** Headings above it, outermost first, joined by ` > `; '' without. */
  readonly heading: string;
  readonly text: string;
  /** The text as words parted by blanks or punctuation: what terms are compared with, ignoring case and accents. */
  readonly words: string;
}

/** Where a document is. Documents of one kind with the same path hide each other by namespace. */
export interface SearchPlace {
  /** uid of the resource that holds it. */
  readonly source: string;
  readonly kind: string;
  readonly namespace: string;
  /** Name of the resource. */
  readonly name: string;
  readonly path: string;
  /** Micros. */
  readonly updatedAt: number;
}

export interface SearchDocument extends SearchPlace {
  /** The path as words, as in SearchChunk. */
  readonly pathWords: string;
  /** At least one. */
  readonly chunks: readonly SearchChunk[];
}

export interface SearchScope {
  /** Nearest first. A document counts only when no nearer namespace of these holds one of its kind and path. */
  readonly namespaces: readonly string[];
  readonly limit: number;
}

export interface SearchHit extends SearchPlace {
  readonly heading: string;
  readonly text: string;
  /** Larger is better; 0 for hits by path. Comparable within one answer. */
  readonly score: number;
}

/** Documents near to a text in meaning. */
export interface NearestQuery extends SearchScope {
  readonly model: string;
  /** Of unit length. */
  readonly vector: Float32Array;
  /** Sources that other lists of the search found: an engine that cannot compare everything compares these first. */
  readonly found: readonly string[];
}

/** A chunk whose vector is missing. */
export interface BareChunk {
  readonly namespace: string;
  readonly source: string;
  readonly ordinal: number;
  readonly path: string;
  readonly heading: string;
  readonly text: string;
}

/** What chunks wait for vectors of a model. */
export interface BareQuery {
  readonly model: string;
  readonly limit: number;
  /** Sources to leave out. */
  readonly except: readonly string[];
}

export interface DirectoryQuery extends SearchScope {
  readonly kind: string;
  /** Exclusive start in the order of namespaces, then paths byte by byte. */
  readonly after?: { readonly namespace: string; readonly path: string };
  /** Only documents of exactly this path. */
  readonly path?: string;
  /** Only documents whose path is this or ends with `/` and this, ignoring case. */
  readonly suffix?: string;
}

export interface SearchReads {
  /**
   * The best chunk of every document with any of the terms in path, headings or text, best first. A term of several words
   * means these words in a row; any text is taken literally and never fails.
   */
  match(query: SearchScope & { readonly terms: readonly string[] }): Promise<readonly SearchHit[]>;
  /** Documents whose path holds every part, ignoring case, shortest path first, with their first chunk. */
  matchPath(query: SearchScope & { readonly parts: readonly string[] }): Promise<readonly SearchHit[]>;
  /**
   * The nearest chunk of every document that has vectors of the model and of this length, nearest first; its score is the cosine. Engines
   * compare no more than a fixed number of chunks: where there are more, the newest. [] where `vectorEngine` is undefined.
   */
  nearest(query: NearestQuery): Promise<readonly SearchHit[]>;
  /** What compares vectors here, as operators know it; undefined: they are not kept. */
  readonly vectorEngine: string | undefined;
  /** Chunks without a vector of the model, oldest document first. */
  bareChunks(query: BareQuery): Promise<readonly BareChunk[]>;
  /** Documents without all their vectors of the model; counted up to `limit`. */
  bareDocuments(model: string, limit: number): Promise<number>;
  /** Documents in the order of namespaces, then of paths. */
  directory(query: DirectoryQuery): Promise<readonly SearchPlace[]>;
}

export interface SearchWrites extends SearchReads {
  /** Stores the document in place of the one of the same source. */
  index(document: SearchDocument): Promise<void>;
  /**
   * Stores vectors of chunks, in place of those of other models; what changed since it was read is left out, and keeps waiting. A vector
   * goes with its chunk.
   */
  addVectors(model: string, vectors: readonly (BareChunk & { readonly vector: Float32Array })[]): Promise<void>;
  /** Forgets the document of a source; nothing happens where there is none. */
  remove(source: string): Promise<void>;
}
