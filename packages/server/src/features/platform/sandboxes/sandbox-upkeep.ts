import { isFault } from '../../../base/index.ts';
import { DONE, type ReconcileOutcome, type Reconciler } from '../../../controllers/contract.ts';
import {
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { hasOwner, LEASE_MICROS, leaseOf, putLease } from './lease-records.ts';
import type { BackendsDeps, SandboxBackends } from './sandbox-backends.ts';
import { SANDBOX_ORIGIN } from './sandbox-leases.ts';
import { BACKEND_FINALIZER, leasedStatus, sandboxStatus } from './sandbox-records.ts';
import {
  choiceOf,
  classSpecOf,
  SCOPE_ANNOTATION,
  SESSION_ANNOTATION,
  SESSION_VOLUME,
  VOLUME_ANNOTATION,
} from './sandbox-resolution.ts';

export interface UpkeepDeps extends BackendsDeps {
  readonly backends: SandboxBackends;
  /** `sandbox.destroyAfter`, milliseconds. */
  readonly destroyMs: number;
}

const RESYNC_MS = 600_000;
/** A sandbox whose class is missing, or whose provider does not work, is tried again after this time. */
const RETRY_MS = 60_000;
const MICROS = 1_000;

const isLeased = (record: StoredResource): boolean => record.annotations[SCOPE_ANNOTATION] !== undefined;

/** Keeps backends and records together: what is declared is made, what is deleted is destroyed, what has no record is removed. */
export class SandboxUpkeep {
  readonly #deps: UpkeepDeps;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
  }

  reconciler(): Reconciler {
    return {
      name: 'sandbox backends',
      kinds: ['Sandbox'],
      resyncMs: RESYNC_MS,
      concerns: ({ change, resource: { key } }) =>
        key.kind === 'Sandbox' || (key.kind === 'Session' && change === 'deleted'),
      keysFor: async ({ change, resource: { key } }, reads) => {
        if (key.kind === 'Session') return sandboxesOf(reads, key);
        return change === 'deleted' ? [] : [key];
      },
      reconcile: (key) => this.reconcile(key),
    };
  }

  /** Brings one sandbox to what its record says. */
  async reconcile(key: ResourceKey): Promise<ReconcileOutcome> {
    const { store, writer, backends } = this.#deps;
    const record = await store.direct.resources.get(key);
    if (record === undefined) return DONE;
    if (record.deletionTimestamp !== undefined) {
      if (record.finalizers.includes(BACKEND_FINALIZER)) await backends.release(record);
      return DONE;
    }
    const session = record.annotations[SESSION_ANNOTATION];
    if (session !== undefined && !(await hasOwner(store.direct, session))) {
      await store.write(async (tx) => {
        if ((await tx.resources.get(key))?.uid === record.uid)
          await writer.remove(tx, SANDBOX_ORIGIN, { key, bySystem: true });
      });
      return DONE;
    }
    return isLeased(record) || backends.isProvisioned(record) || sandboxStatus(record).phase === 'Failed'
      ? DONE
      : this.#declared(record);
  }

  /** Makes the backend of a sandbox that somebody declared. */
  async #declared(record: StoredResource): Promise<ReconcileOutcome> {
    const { store, writer, backends } = this.#deps;
    const { key } = record;
    await store.write((tx) =>
      writer.writeStatus(tx, key, ({ finalizers }) =>
        finalizers.includes(BACKEND_FINALIZER) ? undefined : { finalizers: [...finalizers, BACKEND_FINALIZER] },
      ),
    );
    try {
      await backends.provision(record, false, new AbortController().signal);
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error.reason !== 'SANDBOX_FAILED') return { againMs: RETRY_MS };
      await store.write((tx) => backends.note(tx, key, { failure: error.message }));
      return { failed: 'the setup of the sandbox failed' };
    }
    await store.write((tx) => backends.note(tx, key, { phase: 'Ready' }));
    return DONE;
  }

  /** Ends leases that lapsed, destroys what was unused for long, and what has no record. */
  async collect(): Promise<void> {
    const { store } = this.#deps;
    // Before the records: what is made meanwhile has one.
    const found = await this.#backends();
    const uids = new Set<string>();
    const volumes = new Set<string>();
    for await (const page of resourcePages(store.direct.resources, { kind: 'Sandbox', scope: { type: 'all' } })) {
      for (const record of page) {
        uids.add(record.uid);
        volumes.add(record.annotations[VOLUME_ANNOTATION] ?? record.uid);
        await this.#settle(record);
      }
    }
    for (const { provider, backends, volumes: stored } of found) {
      for (const id of backends)
        if (!uids.has(id)) await this.#removed({ provider: provider.name, backend: id }, () => provider.destroy(id));
      for (const volume of stored)
        if (!volumes.has(volume) && !(await this.#isOwned(volume)))
          await this.#removed({ provider: provider.name, volume }, () => provider.destroyVolume(volume));
    }
  }

  /** Removes what has no record. What cannot be removed now is tried again the next time, and keeps nothing else from being removed. */
  async #removed(what: Readonly<Record<string, string>>, remove: () => Promise<void>): Promise<void> {
    try {
      await remove();
    } catch (error) {
      if (!isFault(error)) throw error;
      const facts = { ...what, reason: error.message };
      this.#deps.log.warn('what a sandbox provider made, and no record names, could not be removed', facts);
    }
  }

  /** What the providers of all classes made; one that does not answer is asked the next time. */
  async #backends() {
    const { store, pool, seal, log } = this.#deps;
    for await (const page of resourcePages(store.direct.resources, { kind: 'SandboxClass', scope: { type: 'all' } }))
      for (const record of page) pool.find(choiceOf(record.key.namespace, classSpecOf(record, seal)));
    const lists = pool.opened().map(async (provider) => {
      try {
        return [{ provider, ...(await provider.list()) }];
      } catch (error) {
        if (!isFault(error)) throw error;
        log.warn('what a sandbox provider made could not be listed', {
          provider: provider.name,
          reason: error.message,
        });
        return [];
      }
    });
    return (await Promise.all(lists)).flat();
  }

  /** A persistent workspace outlives its sandboxes, not the session or run that they were made for. */
  async #isOwned(volume: string): Promise<boolean> {
    if (!volume.startsWith(SESSION_VOLUME)) return false;
    return hasOwner(this.#deps.store.direct, volume.slice(SESSION_VOLUME.length));
  }

  async #settle(record: StoredResource): Promise<void> {
    const { store, writer, destroyMs } = this.#deps;
    if (record.deletionTimestamp !== undefined || !isLeased(record)) return;
    const { key, uid } = record;
    await store.write(async (tx) => {
      const row = await tx.sandboxLeases.get({ id: uid });
      const current = await tx.resources.get(key);
      if (row === undefined || current?.uid !== uid) return;
      const lease = leaseOf(row);
      const now = tx.steadyNow();
      if (lease.state === 'held' && lease.expiresAt + LEASE_MICROS < now) {
        await putLease(tx, { ...lease, state: 'free', token: '' });
        await writer.writeStatus(tx, key, (stored) => ({ status: leasedStatus(stored, undefined) }));
      }
      const isUnused = lease.expiresAt < now && lease.usedAt + destroyMs * MICROS < now;
      const owner = current.annotations[SESSION_ANNOTATION];
      // Nothing tells of the end of a run.
      const isLeft = owner !== undefined && !(await hasOwner(tx, owner));
      if (isUnused || isLeft) await writer.remove(tx, SANDBOX_ORIGIN, { key, bySystem: true });
    });
  }
}

const sandboxesOf = async (reads: ResourceReads, { namespace, name }: ResourceKey): Promise<readonly ResourceKey[]> => {
  const found: ResourceKey[] = [];
  for await (const page of resourcePages(reads, { kind: 'Sandbox', scope: { type: 'namespace', namespace } }))
    found.push(...page.filter(({ annotations }) => annotations[SESSION_ANNOTATION] === name).map(({ key }) => key));
  return found;
};
