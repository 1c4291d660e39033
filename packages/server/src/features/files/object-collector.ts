import type { BlobStore, Store } from '../../store/contracts/index.ts';

/** How long an object without references is kept (PL-7, RT-R37). */
const KEEP_MICROS = 86_400 * 1_000_000;
const BATCH = 200;

/** Deletes bytes nobody refers to any more; a crash between the two steps only leaves bytes for the next pass. */
export class ObjectCollector {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(deps: { readonly store: Store; readonly blobs: BlobStore }) {
    this.#store = deps.store;
    this.#blobs = deps.blobs;
  }

  /** One pass; answers how many objects went. */
  async tick(): Promise<number> {
    const found = await this.#store.write((tx) => tx.objects.unreferenced(tx.now() - KEEP_MICROS, BATCH));
    for (const sha256 of found) {
      await this.#blobs.delete(sha256);
      await this.#store.write((tx) => tx.objects.forget(sha256));
    }
    return found.length;
  }
}
