import { hasSensitiveFields, kinds, resealRecord, type ValueSeal } from '../resources/index.ts';
import type { ResourceKey, Store, StoredResource } from '../store/contracts/index.ts';
import type { QueueWorker, ReconcileOutcome, WorkItem } from './contract.ts';

/** Queue item that encrypts everything by the newest key; the payload says how far it is. */
export const RESEAL = 'secrets.reseal';

/** A sealed value of the instance, and the place that it is sealed for. */
export interface SealedValue {
  readonly name: string;
  readonly place: string;
}

export interface ResealWorkerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly seal: ValueSeal;
  /** What is sealed in addition to resources. */
  readonly values: readonly SealedValue[];
  /** Encrypts what features keep sealed in tables of their own. */
  readonly reseal: () => Promise<void>;
  readonly notify: (version: number) => void;
}

const BATCH = 100;
const SEALED_KINDS: readonly string[] = kinds.map((row) => row.kind).filter(hasSensitiveFields);

/** Where the next batch begins. */
interface Progress {
  readonly kind: number;
  readonly after?: ResourceKey;
}

/**
 * Re-encrypts stored values in batches: a new resource_version, the same generation, no changed section. Restartable at any batch;
 * values whose key is missing are left as they are.
 */
export class ResealWorker implements QueueWorker {
  readonly kinds = [RESEAL];
  readonly #deps: ResealWorkerDeps;

  constructor(deps: ResealWorkerDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    let progress = JSON.parse(item.payload) as Progress;
    for (;;) {
      const kind = SEALED_KINDS[progress.kind];
      if (kind === undefined) break;
      const last = await this.#batch(kind, progress.after);
      progress = last === undefined ? { kind: progress.kind + 1 } : { kind: progress.kind, after: last };
    }
    for (const value of this.#deps.values) await this.#value(value);
    await this.#deps.reseal();
    return { done: true };
  }

  async #value({ name, place }: SealedValue): Promise<void> {
    const { store, seal } = this.#deps;
    await store.write(async (tx) => {
      const sealed = await tx.instance.value(name);
      if (sealed === undefined || seal.isNewest(sealed)) return;
      const plain = seal.open(place, sealed);
      if (plain !== undefined) await tx.instance.setValue(name, seal.seal(place, plain));
    });
  }

  /** The last key of a full batch; undefined at the end of the kind. */
  async #batch(kind: string, after: ResourceKey | undefined): Promise<ResourceKey | undefined> {
    return this.#deps.store.write(async (tx) => {
      const page = await tx.resources.list({
        kind,
        scope: { type: 'all' },
        limit: BATCH,
        ...(after === undefined ? {} : { after }),
      });
      let newest: StoredResource | undefined;
      for (const record of page) {
        const resealed = resealRecord(record, this.#deps.seal);
        if (resealed !== record) newest = (await tx.resources.replace(resealed, record.version, [])) ?? newest;
      }
      if (newest !== undefined) {
        const { version } = newest;
        tx.afterCommit(() => this.#deps.notify(version));
      }
      return page.length < BATCH ? undefined : page.at(-1)?.key;
    });
  }
}
