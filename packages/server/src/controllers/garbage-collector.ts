import { findKind } from '../resources/index.ts';
import type { ResourceKey, Store, StoredOwner, StoredResource, WriteTx } from '../store/contracts/index.ts';
import {
  type QueueWorker,
  type ReconcileOutcome,
  type ResourceWriter,
  systemOrigin,
  type WorkItem,
} from './contract.ts';
import { blockedStatus, FOREGROUND, GC_DEPENDENTS, GC_FINALIZERS, isHeld } from './resource-removal.ts';
import { GC_OWNERS } from './resource-writer.ts';

const BATCH = 100;
const WAIT_MS = 5_000;
/** Owners that are followed upwards in search of a cycle. */
const OWNERS_SEEN_MAX = 100;
/** Kinds of what is above others in their addresses. */
const PARENT_KINDS = { channel: 'Channel', agent: 'Agent' } as const;

/** On whose behalf the collector deletes, as audit records say. */
const COLLECTOR = systemOrigin('garbage-collection');

export interface GarbageCollectorDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: ResourceWriter;
}

/** Deletes what no owner holds any more, by uid, a bounded batch per transaction. */
export class GarbageCollector implements QueueWorker {
  readonly kinds = [GC_DEPENDENTS, GC_OWNERS, GC_FINALIZERS];
  readonly #deps: GarbageCollectorDeps;

  constructor(deps: GarbageCollectorDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const key = JSON.parse(item.payload) as ResourceKey;
    return this.#deps.store.write((tx) => {
      if (item.kind === GC_OWNERS) return this.#checkOwners(tx, key);
      if (item.kind === GC_FINALIZERS) return this.#nameFinalizers(tx, key, item.key);
      return this.#followDependents(tx, key, item.key);
    });
  }

  async #checkOwners(tx: WriteTx, key: ResourceKey): Promise<ReconcileOutcome> {
    await this.#settle(tx, key);
    return { done: true };
  }

  async #followDependents(tx: WriteTx, key: ResourceKey, uid: string): Promise<ReconcileOutcome> {
    // Those whose deletion has begun go by themselves, however many there are.
    const batch = await tx.resources.dependents(uid, BATCH, 'undeleted');
    let moved = 0;
    for (const dependant of batch) if (await this.#settle(tx, dependant.key)) moved += 1;
    if (batch.length === BATCH && moved > 0) return { againMs: 0 };
    const owner = await tx.resources.get(key);
    const isWaiting = owner?.uid === uid && owner.finalizers.includes(FOREGROUND);
    return isWaiting ? this.#releaseOwner(tx, owner) : { done: true };
  }

  /** Removes the resource, or its references to owners that are gone; false when nothing was written. */
  async #settle(tx: WriteTx, key: ResourceKey): Promise<boolean> {
    const resource = await tx.resources.get(key);
    // It may have gone together with one before it.
    if (resource === undefined) return true;
    const alive: StoredOwner[] = [];
    for (const owner of resource.owners) if (await this.#isAlive(tx, owner)) alive.push(owner);
    if (alive.length === resource.owners.length) return false;
    if (alive.length > 0) {
      await tx.resources.replace({ ...resource, owners: alive }, resource.version, ['metadata']);
      return true;
    }
    const { pending } = await this.#deps.writer.remove(tx, COLLECTOR, { key: resource.key, bySystem: true });
    // One that waits for its own finalizers is written when its deletion begins.
    return !pending || resource.deletionTimestamp === undefined;
  }

  /** An owner with another uid counts as gone, and so does one that waits for its dependants. */
  async #isAlive(tx: WriteTx, owner: StoredOwner): Promise<boolean> {
    const found = await this.#findOwner(tx, owner);
    return found?.uid === owner.uid && !found.finalizers.includes(FOREGROUND);
  }

  /** References do not say under which channel or agent an owner is: all of them are searched. */
  async #findOwner(tx: WriteTx, owner: StoredOwner): Promise<StoredResource | undefined> {
    const { kind, namespace, name } = owner;
    const row = findKind(kind);
    if (row?.scope === 'root') return tx.resources.get({ kind, namespace: '', parent: '', name });
    if (row?.parent === undefined) return tx.resources.get({ kind, namespace, parent: '', name });
    const query = { kind: PARENT_KINDS[row.parent], scope: { type: 'namespace', namespace }, limit: BATCH } as const;
    for (let after: ResourceKey | undefined; ; ) {
      const page = await tx.resources.list({ ...query, ...(after === undefined ? {} : { after }) });
      for (const parent of page) {
        const found = await tx.resources.get({ kind, namespace, parent: parent.key.name, name });
        if (found !== undefined && found.uid === owner.uid) return found;
      }
      after = page.at(-1)?.key;
      if (page.length < BATCH) return undefined;
    }
  }

  /** Owners that wait for each other in a circle are let go: the one that waits for this one no longer holds it. */
  async #breakCycles(tx: WriteTx, owner: StoredResource): Promise<void> {
    if (owner.owners.length === 0) return;
    for (const dependant of await tx.resources.dependents(owner.uid, BATCH, 'blocking')) {
      if (!dependant.finalizers.includes(FOREGROUND) || !(await this.#standsAbove(tx, dependant, owner))) continue;
      const owners = dependant.owners.filter(({ uid }) => uid !== owner.uid);
      await tx.resources.replace({ ...dependant, owners }, dependant.version, ['metadata']);
    }
  }

  /** True when the resource owns the other one, or one of its owners, and so on upwards. */
  async #standsAbove(tx: WriteTx, resource: StoredResource, of: StoredResource): Promise<boolean> {
    const seen = new Set<string>();
    for (let above = of.owners; above.length > 0 && seen.size < OWNERS_SEEN_MAX; ) {
      if (above.some(({ uid }) => uid === resource.uid)) return true;
      const next: StoredOwner[] = [];
      for (const owner of above) {
        if (seen.has(owner.uid)) continue;
        seen.add(owner.uid);
        const found = await this.#findOwner(tx, owner);
        if (found?.uid === owner.uid) next.push(...found.owners);
      }
      above = next;
    }
    return false;
  }

  async #releaseOwner(tx: WriteTx, waiting: StoredResource): Promise<ReconcileOutcome> {
    await this.#breakCycles(tx, waiting);
    if (await isHeld(tx, waiting)) return { againMs: WAIT_MS };
    // One that owned itself was written just now.
    const owner = (await tx.resources.get(waiting.key)) ?? waiting;
    const finalizers = owner.finalizers.filter((name) => name !== FOREGROUND);
    const stored = await tx.resources.replace({ ...owner, finalizers }, owner.version, ['metadata']);
    if (stored !== undefined && finalizers.length === 0)
      await this.#deps.writer.remove(tx, COLLECTOR, { key: owner.key, bySystem: true });
    return { done: true };
  }

  /** A resource still held after the grace shows who holds it. */
  async #nameFinalizers(tx: WriteTx, key: ResourceKey, uid: string): Promise<ReconcileOutcome> {
    const held = await tx.resources.get(key);
    if (held?.uid !== uid || held.finalizers.length === 0) return { done: true };
    const text = blockedStatus(held, { now: tx.now(), generation: held.generation });
    await tx.resources.replace({ ...held, status: text }, held.version, ['status']);
    return { done: true };
  }
}
