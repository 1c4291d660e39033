import type { BlobStore, Store } from '../../../../store/contracts/index.ts';

/** How long an object without references, or with a reservation only, is kept. */
const KEEP_MICROS = 86_400 * 1_000_000;
const BATCH = 200;
/** Objects whose bytes are removed at a time: a caller who wants to store one of them waits that long. */
const AT_ONCE = 16;

/**
 * Deletes bytes no one refers to any more. The store learns of it first, so that no node stores or refers to them meanwhile;
 * what a crash leaves between the steps is taken up by a later pass, of any node.
 */
export class ObjectCollector {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(deps: { readonly store: Store; readonly blobs: BlobStore }) {
    this.#store = deps.store;
    this.#blobs = deps.blobs;
  }

  /** One pass; answers how many objects went. Rejects with what the first failed deletion threw. */
  async tick(): Promise<number> {
    let gone = 0;
    for (let taken = AT_ONCE; taken === AT_ONCE && gone < BATCH; ) {
      const condemned = await this.#store.write(async (tx) => ({
        at: tx.steadyNow(),
        hashes: await tx.objects.condemn(tx.steadyNow() - KEEP_MICROS, tx.steadyNow(), AT_ONCE),
      }));
      taken = condemned.hashes.length;
      gone += await this.#remove(condemned);
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
          if (stat !== undefined) await tx.objects.adopt(sha256, stat.sizeBytes, tx.steadyNow());
      });
      seen += page.length;
      after = page.at(-1) ?? after;
      if (page.length < BATCH) return seen;
    }
  }

  /** What could not be deleted stays condemned until a later pass: its bytes may be gone. */
  async #remove({ at, hashes }: { readonly at: number; readonly hashes: readonly string[] }): Promise<number> {
    const removals = await Promise.allSettled(hashes.map((sha256) => this.#blobs.delete(sha256)));
    const removed = hashes.filter((_sha256, index) => removals[index]?.status === 'fulfilled');
    await this.#store.write(async (tx) => {
      for (const sha256 of removed) await tx.objects.forget(sha256, at);
    });
    for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
    return removed.length;
  }
}
