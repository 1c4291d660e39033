import type { DirectoryQuery, SearchDocument, SearchReads, SearchScope, SearchWrites } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';

/** `SearchReads` over one connection. */
export class SearchReadHandle implements SearchReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async match(query: SearchScope & { readonly terms: readonly string[] }) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.search.match(query));
  }

  async matchPath(query: SearchScope & { readonly parts: readonly string[] }) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.search.matchPath(query));
  }

  async directory(query: DirectoryQuery) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.search.directory(query));
  }
}

/** `SearchWrites` inside one write transaction. */
export class SearchWriteHandle extends SearchReadHandle implements SearchWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async index(document: SearchDocument) {
    this.#access.change();
    this.#access.tables.searchWrites.index(document);
  }

  async remove(source: string) {
    this.#access.change();
    this.#access.tables.searchWrites.remove(source);
  }
}
