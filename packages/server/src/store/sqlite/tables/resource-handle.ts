import type { DependentFilter, ResourceKey, ResourceQuery, ResourceReads } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import type { ResourceTables } from './resource-tables.ts';

/** `ResourceReads` over one connection. */
export class ResourceReadHandle implements ResourceReads {
  readonly #access: Access<ResourceTables>;

  constructor(access: Access<ResourceTables>) {
    this.#access = access;
  }

  async get(key: ResourceKey) {
    this.#access.enter();
    const found = this.#access.tables.resources.get(key);
    return this.#access.leave(found, found?.version);
  }

  async list(query: ResourceQuery) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resourceList.list(query));
  }

  async count(kind: string, namespace: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resourceList.count(kind, namespace, limit));
  }

  async dependents(ownerUid: string, limit: number, which?: DependentFilter) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resources.dependents(ownerUid, limit, which ?? 'all'));
  }

  async changes(after: number, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resources.changes(after, limit));
  }

  async versionRange() {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resources.versionRange());
  }

  async activity(uids: readonly string[]) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resources.activity(uids));
  }
}
