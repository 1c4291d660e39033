import { create } from '@bufbuild/protobuf';
import { NamespaceSpecSchema } from '@svc/api/resources';
import type { SentMetadata } from '../../../auth/contract.ts';
import { Fault } from '../../../base/index.ts';
import type { AppendAudit, ResourceWriter, WriteOrigin } from '../../../controllers/contract.ts';
import {
  formatKey,
  namespaceDeleted,
  namespaceKey,
  refusal,
  requireKept,
  resourceNotFound,
  versionConflict,
  withoutPrivate,
} from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { descendantRecords } from './namespace-directory.ts';
import { parentMissing, statusOf } from './namespace-kind.ts';
import {
  checkPlace,
  DELETED_WITH,
  deletionMark,
  isProtected,
  judgeNamespace,
  namespaceState,
  parentFor,
  parentMismatch,
} from './namespace-rules.ts';

/** Queue item that removes the contents of a tombstone when its grace is over; key = name. */
export const PURGE = 'namespace.purge';

export interface PurgePayload {
  readonly uid: string;
  readonly deletedAt: number;
}

/** What a tombstone does to turns; runtime satisfies it. */
export interface NamespaceTurns {
  /** Stops every running and waiting turn of the namespaces; queued ones stay. */
  stopNamespaces(tx: WriteTx, namespaces: ReadonlySet<string>): Promise<void>;
}

export interface NamespaceServiceDeps {
  readonly writer: ResourceWriter;
  readonly turns: NamespaceTurns;
  readonly audit: AppendAudit;
  /** Throws where namespaces hold what the origin may not delete. */
  readonly requireContents: (tx: WriteTx, names: readonly string[], origin: WriteOrigin) => Promise<void>;
  /** `namespaces.graceSeconds`. */
  readonly graceSeconds: number;
}

export interface CreateInput {
  readonly name: string;
  readonly parent: string;
  readonly recursive: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** What a body says that has no field in the request. */
  readonly sent?: SentMetadata | undefined;
}

/** Throws NOT_FOUND or CONFLICT for a body that was read from a namespace that is gone, deleted or changed since. */
const requireVersion = (record: StoredResource | undefined, { name, sent }: CreateInput): void => {
  const wanted = sent?.resourceVersion ?? '';
  if (wanted === '') return;
  const key = namespaceKey(name);
  if (record === undefined) throw resourceNotFound(key);
  if (wanted !== String(record.version)) throw versionConflict(key, record.version);
};

/** Creation, merging, revival and deletion of namespaces, in the caller's transaction. */
export class NamespaceService {
  readonly #deps: NamespaceServiceDeps;

  constructor(deps: NamespaceServiceDeps) {
    this.#deps = deps;
  }

  async create(tx: WriteTx, origin: WriteOrigin, input: CreateInput): Promise<StoredResource> {
    const record = await tx.resources.get(namespaceKey(input.name));
    requireVersion(record, input);
    const { labels, annotations } = input;
    const faults = [
      ...checkPlace(input.name, input.parent),
      ...this.#deps.writer.metadataFaults({ labels, annotations }, { current: record, path: '' }),
    ];
    if (faults.length > 0) throw refusal(faults);
    if (record === undefined) return this.#insert(tx, origin, input);
    requireKept(input.sent, record, 'CreateNamespace');
    const state = namespaceState(record);
    if (input.parent !== '' && input.parent !== state.parent) throw refusal([parentMismatch(state.parent)]);
    return state.isDeleted ? this.#revive(tx, origin, { input, record }) : this.#merge(tx, origin, input);
  }

  /** Writes the tombstone (or, with `purge`, makes its grace end now); answers the tombstone. */
  async remove(
    tx: WriteTx,
    origin: WriteOrigin,
    input: { readonly name: string; readonly purge: boolean; readonly resourceVersion?: string },
  ): Promise<StoredResource> {
    const { name, purge } = input;
    const key = namespaceKey(name);
    const record = await tx.resources.get(key);
    if (record === undefined) throw resourceNotFound(key);
    const wanted = input.resourceVersion ?? '';
    if (wanted !== '' && wanted !== String(record.version)) throw versionConflict(key, record.version);
    if (isProtected(name))
      throw new Fault('FAILED_PRECONDITION', 'NAMESPACE_PROTECTED', `namespace ${name} cannot be deleted`, {
        metadata: { ns: name },
      });
    const state = namespaceState(record);
    if (state.isDeleted && !purge) throw namespaceDeleted(name);
    const below = await descendantRecords(tx.resources, name);
    await this.#deps.requireContents(tx, [name, ...below.map((each) => each.key.name)], origin);
    const deletedAt = state.isDeleted ? state.deletedAt : tx.now();
    const tombstone = state.isDeleted ? record : await this.#markTreeDeleted(tx, { record, below, deletedAt });
    const dueAt = tx.steadyNow() + (purge ? 0 : this.#deps.graceSeconds * 1_000_000);
    const payload: PurgePayload = { uid: record.uid, deletedAt };
    const item = { kind: PURGE, key: name, dueAt, attempts: 0, payload: JSON.stringify(payload) };
    await tx.queue.put(item, { replace: true });
    await this.#deps.audit(tx, origin, {
      target: formatKey(key),
      namespace: name,
      resourceVersion: String(tombstone.version),
      outcome: purge ? 'purging' : 'deleted',
    });
    return tombstone;
  }

  async #insert(tx: WriteTx, origin: WriteOrigin, input: CreateInput): Promise<StoredResource> {
    const parent = parentFor(input.name, input.parent);
    if (parent !== '') await this.#requireParent(tx, origin, { parent, recursive: input.recursive });
    const { resource } = await this.#deps.writer.create(tx, origin, {
      key: namespaceKey(input.name),
      spec: create(NamespaceSpecSchema, { parent }),
      labels: input.labels,
      annotations: input.annotations,
      metadataPath: '',
    });
    return resource;
  }

  async #requireParent(
    tx: WriteTx,
    origin: WriteOrigin,
    wanted: { readonly parent: string; readonly recursive: boolean },
  ): Promise<void> {
    const { parent, recursive } = wanted;
    const record = await tx.resources.get(namespaceKey(parent));
    if (record !== undefined) {
      if (namespaceState(record).isDeleted) throw namespaceDeleted(parent);
      return;
    }
    if (!recursive) throw parentMissing(parent);
    await this.#insert(tx, origin, { name: parent, parent: '', recursive, labels: {}, annotations: {} });
  }

  async #merge(tx: WriteTx, origin: WriteOrigin, input: CreateInput): Promise<StoredResource> {
    const { resource } = await this.#deps.writer.modify(tx, origin, {
      key: namespaceKey(input.name),
      metadataPath: '',
      change: (current) => ({
        labels: { ...withoutPrivate(current.labels), ...input.labels },
        annotations: { ...withoutPrivate(current.annotations), ...input.annotations },
      }),
    });
    return resource;
  }

  /** Brings back the namespace and exactly the descendants that went with it, but for those that a purge of their own empties. */
  async #revive(
    tx: WriteTx,
    origin: WriteOrigin,
    revival: { readonly input: CreateInput; readonly record: StoredResource },
  ): Promise<StoredResource> {
    const { input, record } = revival;
    const state = namespaceState(record);
    if (state.isPurging) throw namespaceDeleted(input.name);
    if (state.parent !== '') {
      const above = await tx.resources.get(namespaceKey(state.parent));
      if (above === undefined || namespaceState(above).isDeleted) throw namespaceDeleted(state.parent);
    }
    const mark = deletionMark(input.name, state.deletedAt);
    const below = await descendantRecords(tx.resources, input.name);
    for (const descendant of below)
      if (descendant.annotations[DELETED_WITH] === mark && !namespaceState(descendant).isPurging)
        await this.#restore(tx, descendant);
    await this.#restore(tx, record);
    await tx.queue.cancel(PURGE, input.name);
    const { resource } = await this.#deps.writer.modify(tx, origin, {
      key: record.key,
      metadataPath: '',
      change: (current) => ({
        labels: input.labels,
        annotations: { ...withoutPrivate(current.annotations), ...input.annotations },
      }),
    });
    return resource;
  }

  async #restore(tx: WriteTx, record: StoredResource): Promise<void> {
    await this.#deps.writer.writeStatus(tx, record.key, (current) => ({
      status: judgeNamespace(statusOf(current), { now: tx.now(), generation: current.generation, deletedAt: 0 }),
      system: { annotations: { [DELETED_WITH]: undefined } },
    }));
    await tx.log.setNamespaceReady(record.key.name, true);
  }

  async #markTreeDeleted(
    tx: WriteTx,
    deletion: {
      readonly record: StoredResource;
      readonly below: readonly StoredResource[];
      readonly deletedAt: number;
    },
  ): Promise<StoredResource> {
    const { record, deletedAt } = deletion;
    const mark = deletionMark(record.key.name, deletedAt);
    const below = deletion.below.filter((descendant) => !namespaceState(descendant).isDeleted);
    for (const descendant of below) await this.#markDeleted(tx, descendant, { deletedAt, mark });
    const stored = await this.#markDeleted(tx, record, { deletedAt, mark: undefined });
    await this.#deps.turns.stopNamespaces(tx, new Set([record, ...below].map(({ key }) => key.name)));
    return stored;
  }

  async #markDeleted(
    tx: WriteTx,
    record: StoredResource,
    deletion: { readonly deletedAt: number; readonly mark: string | undefined },
  ): Promise<StoredResource> {
    const { deletedAt, mark } = deletion;
    const stored = await this.#deps.writer.writeStatus(tx, record.key, (current) => ({
      status: judgeNamespace(statusOf(current), { now: tx.now(), generation: current.generation, deletedAt }),
      system: { annotations: { [DELETED_WITH]: mark } },
    }));
    await tx.log.setNamespaceReady(record.key.name, false);
    return stored ?? record;
  }
}
