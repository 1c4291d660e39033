import type {
  DependentFilter,
  ResourceDraft,
  ResourceKey,
  ResourceQuery,
  ResourceReads,
  ResourceSection,
  ResourceWrites,
} from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';

const ALL_SECTIONS: readonly ResourceSection[] = ['metadata', 'spec', 'status'];

/** `ResourceReads` over one connection. */
export class ResourceReadHandle implements ResourceReads {
  readonly #access: Access;

  constructor(access: Access) {
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

/** `ResourceWrites` inside one write transaction. */
export class ResourceWriteHandle extends ResourceReadHandle implements ResourceWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async claimUid(uid: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.resourceWrites.isUidFree(uid));
  }

  async insert(draft: ResourceDraft, sections: readonly ResourceSection[] = ALL_SECTIONS) {
    this.#access.change();
    return this.#access.tables.resourceWrites.insert(draft, sections, this.#access.now);
  }

  async replace(draft: ResourceDraft, expectedVersion: number, sections: readonly ResourceSection[]) {
    this.#access.change();
    const write = { sections, now: this.#access.now };
    return this.#access.tables.resourceWrites.replace(draft, expectedVersion, write);
  }

  async remove(key: ResourceKey, expectedVersion: number) {
    this.#access.change();
    return this.#access.tables.resourceWrites.remove(key, expectedVersion, this.#access.now);
  }

  async setActivity(uid: string, json: string) {
    this.#access.change();
    this.#access.tables.resourceWrites.setActivity(uid, json);
  }

  async trimChanges(beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#access.tables.resourceWrites.trimChanges(beforeMicros, limit);
  }
}
