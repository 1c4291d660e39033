import type { ResourceDraft, ResourceKey, ResourceSection, ResourceWrites } from '../../contracts/index.ts';
import type { WriteAccess } from '../access.ts';
import { ResourceReadHandle } from './resource-handle.ts';
import type { ResourceTables } from './resource-tables.ts';

const ALL_SECTIONS: readonly ResourceSection[] = ['metadata', 'spec', 'status'];

/** `ResourceWrites` inside one write transaction. */
export class ResourceWriteHandle extends ResourceReadHandle implements ResourceWrites {
  readonly #access: WriteAccess<ResourceTables>;

  constructor(access: WriteAccess<ResourceTables>) {
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
