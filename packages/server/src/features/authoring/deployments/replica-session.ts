import type { DeploymentReplicaStatus } from '@svc/api/resources';
import type { WriteOrigin } from '../../../controllers/contract.ts';
import { type Ownership, ownershipText, readOwnership } from '../../../resources/merge/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { ConcurrentChange } from './concurrent-change.ts';
import { REPLICA_ANNOTATION } from './deployment-rules.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import type { ObjectRecord } from './rendering/index.ts';
import { managerOfReplica } from './replica-plan.ts';
import { objectRecords, replicaSpec, replicaStatus, withObject } from './replica-record.ts';

/** What a write of an object expects to find: what the pass had read. */
export interface Expected {
  readonly key: ResourceKey;
  readonly live: StoredResource | undefined;
  readonly ownership: Ownership;
}

/**
 * One pass's hold on its replica. Every write checks that the replica is as the pass knows it, so that of two passes over one
 * replica, on two nodes, only one writes; each write moves the replica on and is the base of the next.
 */
export class ReplicaSession {
  readonly manager: string;
  /** The target namespace. */
  readonly target: string;
  /** `ns/name` of the replica, as rendered objects carry it. */
  readonly marker: string;
  readonly origin: WriteOrigin;
  readonly #deps: DeploymentsDeps;
  #replica: StoredResource;

  constructor(deps: DeploymentsDeps, replica: StoredResource) {
    this.#deps = deps;
    this.#replica = replica;
    this.manager = managerOfReplica(replica);
    this.target = replicaSpec(replica).targetNamespace;
    this.marker = `${replica.key.namespace}/${replica.key.name}`;
    this.origin = { requestId: '', operation: 'deployment', caller: { identity: this.manager } };
  }

  /** As last read or written by this pass. */
  get replica(): StoredResource {
    return this.#replica;
  }

  get status(): DeploymentReplicaStatus {
    return replicaStatus(this.#replica);
  }

  record(id: string): ObjectRecord | undefined {
    return objectRecords(this.status).get(id);
  }

  /** True when the markers of the object are this replica's, or no one's. */
  mayMark({ annotations }: StoredResource): boolean {
    const marker = annotations[REPLICA_ANNOTATION];
    return marker === undefined || marker === this.marker;
  }

  /** Runs `work` in one transaction; throws ConcurrentChange when replica or object are not as expected. */
  async write(
    work: (tx: WriteTx) => Promise<StoredResource | undefined>,
    expected?: Expected,
  ): Promise<StoredResource | undefined> {
    let moved = this.#replica;
    const result = await this.#deps.store.write(async (tx) => {
      const { key, version } = this.#replica;
      if ((await tx.resources.get(key))?.version !== version) throw new ConcurrentChange();
      if (expected !== undefined) await requireUnmoved(tx, expected);
      const written = await work(tx);
      moved = (await tx.resources.get(key)) ?? this.#replica;
      return written;
    });
    this.#replica = moved;
    return result;
  }

  /** Records what the replica keeps of one object, or forgets it; part of the object's own transaction. */
  async keep(tx: WriteTx, id: string, record: ObjectRecord | undefined): Promise<void> {
    await this.#deps.writer.writeStatus(tx, this.#replica.key, (current) => {
      const status = withObject(replicaStatus(current), this.target, { id, record });
      if (current.deletionTimestamp !== undefined) status.phase = 'Terminating';
      return { status };
    });
  }
}

const requireUnmoved = async (tx: WriteTx, { key, live, ownership }: Expected): Promise<void> => {
  const current = await tx.resources.get(key);
  if (current?.version !== live?.version) throw new ConcurrentChange();
  if (current === undefined) return;
  if (ownershipText(await readOwnership(tx, current.uid)) !== ownershipText(ownership)) throw new ConcurrentChange();
};
