import type { ArtifactReads, ArtifactRow, ArtifactWrites } from '../../contracts/index.ts';
import type { Access, WriteAccess } from './access.ts';

/** `ArtifactReads` over one connection. */
export class ArtifactReadHandle implements ArtifactReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async get(id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.artifacts.get(id));
  }

  async list(sessionId: string, before: string | undefined, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.artifacts.list(sessionId, before, limit));
  }
}

/** `ArtifactWrites` inside one write transaction. */
export class ArtifactWriteHandle extends ArtifactReadHandle implements ArtifactWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async put(row: ArtifactRow) {
    this.#access.change();
    this.#access.tables.artifacts.put(row);
  }

  async remove(id: string) {
    this.#access.change();
    this.#access.tables.artifacts.remove(id);
  }
}
