import type { BlobStore, Store } from '../../../store/contracts/index.ts';
import type { StoredObjects } from './object-access.ts';

/** How long an object without references is kept (PL-7, RT-R37). */
const KEEP_MICROS = 86_400 * 1_000_000;
const BATCH = 200;

/** Deletes bytes nobody refers to any more; a crash between the two steps only leaves bytes for the next pass. */
export class ObjectCollector {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #objects: Pick<StoredObjects, 'pins'>;

  constructor(deps: {
    readonly store: Store;
    readonly blobs: BlobStore;
    readonly objects: Pick<StoredObjects, 'pins'>;
  }) {
    this.#store = deps.store;
    this.#blobs = deps.blobs;
    this.#objects = deps.objects;
  }

  /** One pass; answers how many objects went. */
  async tick(): Promise<number> {
    const found = await this.#store.write((tx) => tx.objects.unreferenced(tx.now() - KEEP_MICROS, BATCH));
    let gone = 0;
    for (const sha256 of found) {
      const isGone = await this.#objects.pins.leave(sha256, async () => {
        await this.#blobs.delete(sha256);
        await this.#store.write((tx) => tx.objects.forget(sha256));
      });
      if (isGone) gone += 1;
    }
    return gone;
  }

  /** Looks through all stored bytes for those no record ever named, so that `tick` collects them; answers how many it saw. */
  async sweep(): Promise<number> {
    let seen = 0;
    for (let after = ''; ; ) {
      const page = await this.#blobs.list(after, BATCH);
      const sizes = await Promise.all(page.map(async (sha256) => ({ sha256, stat: await this.#blobs.stat(sha256) })));
      await this.#store.write(async (tx) => {
        for (const { sha256, stat } of sizes)
          if (stat !== undefined) await tx.objects.adopt(sha256, stat.sizeBytes, tx.now());
      });
      seen += page.length;
      after = page.at(-1) ?? after;
      if (page.length < BATCH) return seen;
    }
  }
}
