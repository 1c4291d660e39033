import { type ResourceWriter, systemOrigin } from '../../../controllers/contract.ts';
import { formatKey } from '../../../resources/index.ts';
import { deliveryHolder, type ResourceKey, type StoredResource, type WriteTx } from '../../../store/contracts/index.ts';
import { namespaceState } from './namespace-rules.ts';

/** Records that go in one transaction, namespaces included. */
const BATCH = 500;
/** Texts of requests read at once: those of long lists of tools are large. */
const TEXTS = 50;
/** Records checked before everybody else gets a turn. */
const RECORDS_PER_TURN = 100;
const NAMED = 5;
const ORIGIN = systemOrigin('namespace-purge');

/**
 * What one transaction of a purge removes: of every namespace below which nothing is left its contents, then the texts of its
 * requests to models and its deliveries, then the namespace itself. Where finalizers hold something, what is above waits; everything next to it continues.
 */
export class NamespaceSweep {
  readonly #tx: WriteTx;
  readonly #writer: Pick<ResourceWriter, 'remove'>;
  /** Namespaces that something below them keeps. */
  readonly #kept = new Set<string>();
  readonly #named: string[] = [];
  #removed = 0;
  #held = 0;

  constructor(tx: WriteTx, writer: Pick<ResourceWriter, 'remove'>) {
    this.#tx = tx;
    this.#writer = writer;
  }

  /** True when the batch is used up, and more may be left to do at once. */
  get isFull(): boolean {
    return this.#removed >= BATCH;
  }

  /** What holds something and was met, '' for nothing. */
  get holders(): string {
    return this.#held === 0 ? '' : `${this.#held} left, held by finalizers: ${this.#named.join('; ')}`;
  }

  /** Children come before their parents. */
  async through(namespaces: readonly StoredResource[]): Promise<void> {
    for (const namespace of namespaces) {
      const isGone = !this.#kept.has(namespace.key.name) && (await this.#clear(namespace.key));
      if (this.isFull) return;
      if (!isGone) this.#kept.add(namespaceState(namespace).parent);
    }
  }

  /** True when nothing of the namespace is left. */
  async #clear(key: ResourceKey): Promise<boolean> {
    const before = this.#held;
    await this.#empty(key.name);
    if (this.isFull || this.#held > before) return false;
    await this.#forgetRequests(key.name);
    if (this.isFull) return false;
    await this.#forgetDeliveries(key.name);
    if (this.isFull) return false;
    await this.#forgetOrigins(key.name);
    if (this.isFull) return false;
    const record = await this.#tx.resources.get(key);
    return record === undefined || this.#remove(record);
  }

  async #empty(namespace: string): Promise<void> {
    let after: ResourceKey | undefined;
    do {
      const place = after === undefined ? {} : { after };
      const page = await this.#tx.resources.list({ scope: { type: 'namespace', namespace }, limit: BATCH, ...place });
      for (const { key } of page) {
        // An earlier removal may have taken this one along.
        const current = await this.#tx.resources.get(key);
        if (current !== undefined) await this.#remove(current);
        if (this.isFull) return;
      }
      after = page.length < BATCH ? undefined : page.at(-1)?.key;
    } while (after !== undefined);
  }

  /** Removes the texts that requests to models were made of. They are not records, so they do not go with their agents. */
  async #forgetRequests(namespace: string): Promise<void> {
    const { promptSources } = this.#tx;
    let found = TEXTS;
    while (found === TEXTS && !this.isFull) {
      const texts = await promptSources.page('ofNamespace', { namespace }, { limit: TEXTS });
      for (const { hash } of texts) await promptSources.remove({ namespace, hash });
      found = texts.length;
      this.#removed += found;
    }
  }

  /** Removes what was or would be delivered to messaging platforms; its items in the queue find nothing then. */
  async #forgetDeliveries(namespace: string): Promise<void> {
    const { deliveries, objects } = this.#tx;
    let found = TEXTS;
    while (found === TEXTS && !this.isFull) {
      const rows = await deliveries.page('ofNamespace', { namespace }, { limit: TEXTS });
      for (const { id } of rows) {
        await deliveries.remove({ id });
        await objects.dropReferences(deliveryHolder(id), this.#tx.steadyNow());
      }
      found = rows.length;
      this.#removed += found;
    }
  }

  /** Removes where messages of platforms came from, as far as their sessions did not take it along. */
  async #forgetOrigins(namespace: string): Promise<void> {
    const { connectorContexts } = this.#tx;
    let found = BATCH;
    while (found === BATCH && !this.isFull) {
      const rows = await connectorContexts.page('ofNamespace', { namespace }, { limit: BATCH });
      for (const { subject } of rows) await connectorContexts.remove({ namespace, subject });
      found = rows.length;
      this.#removed += found;
    }
  }

  /** False when finalizers hold it. */
  async #remove(record: StoredResource): Promise<boolean> {
    if ((this.#removed + this.#held) % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await this.#tx.pause();
    const { pending } = await this.#writer.remove(this.#tx, ORIGIN, { key: record.key, bySystem: true });
    if (pending) this.#hold(record);
    else this.#removed += 1;
    return !pending;
  }

  #hold({ key, finalizers }: StoredResource): void {
    this.#held += 1;
    if (this.#named.length < NAMED) this.#named.push(`${formatKey(key)} (${finalizers.join(', ')})`);
  }
}
