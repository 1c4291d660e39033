import type { Message } from '@bufbuild/protobuf';
import type { FieldViolation } from '../base/index.ts';
import type { ReadTx, ResourceKey, StoredOwner, StoredResource, WriteTx } from '../store/contracts/index.ts';
import type { CheckReads, StatusDependencies } from './reconcile-contract.ts';

/**
 * What a kind of resource tells the one write pipeline about itself, and what features ask of that pipeline; what reconcilers are
 * says reconcile-contract.ts. Nothing here knows a concrete kind.
 */

/** On whose behalf something is written; a CallContext is one. */
export interface WriteOrigin {
  readonly requestId: string;
  readonly operation: string;
  readonly caller: { readonly identity: string; readonly grants?: readonly OriginGrant[] };
}

/** The origin of what the program does by itself; `operation` is what audit records call it. */
export const systemOrigin = (operation: string): WriteOrigin => ({
  requestId: '',
  operation,
  caller: { identity: 'system' },
});

/** What of a caller's grant rules of kinds may ask for; absent scopes mean everything, absent grants nothing. */
export interface OriginGrant {
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly namespace?: string;
  /** Narrower than a namespace where one is set. */
  readonly agent?: string;
  readonly session?: string;
  readonly channel?: string;
}

interface AuditEntry {
  /** `Kind/ns/name` or another name of what was written. */
  readonly target: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  /** `created`, `updated`, `deleted`, `ok` or another word; no contents. */
  readonly outcome: string;
}

/** Adds one audit record in the transaction of the effect. */
export type AppendAudit = (tx: WriteTx, origin: WriteOrigin, entry: AuditEntry) => Promise<void>;

/** What writes need to know of namespaces. */
export interface NamespaceFacts {
  /** Throws NAMESPACE_MISSING or NAMESPACE_DELETED. */
  requireLive(reads: Pick<ReadTx, 'resources'>, namespace: string): Promise<void>;
  /** Ancestors, nearest first; [] for a root or a missing one. */
  ancestors(reads: Pick<ReadTx, 'resources'>, namespace: string): Promise<readonly string[]>;
}

/** A spec on its way in: defaults are filled, masked values are back, nothing is written yet. */
export interface SpecWrite<S> {
  readonly key: ResourceKey;
  readonly spec: S;
  /** As the caller wants them; from `observe` on as they will be stored, system keys included. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Undefined at creation. */
  readonly current: StoredResource | undefined;
  readonly generation: number;
  readonly isSpecChanged: boolean;
}

/** A spec whose status is asked for: at a write of the resource, or later because what the status depends on may have changed. */
export interface ObservedSpec<S> extends SpecWrite<S> {
  readonly occasion: 'write' | 'dependency';
}

/** How a kind takes part in writes. Every function may run again, when its transaction does. */
export interface KindContract<S extends Message = Message> {
  readonly kind: string;
  /** Name of a resource that has none of its own, where it follows from the spec. */
  readonly derivedName?: (spec: S) => string;
  /** The spec with absent values filled in; must not change its argument. `current` is undefined at creation and for templates. */
  readonly defaults?: (spec: S, key: ResourceKey, current?: StoredResource) => S;
  /** All faults of the fields; pure. Without an `origin` (a template) what only its grants decide is left open. */
  readonly validate: (write: SpecWrite<S>, origin?: WriteOrigin) => readonly FieldViolation[];
  /** Texts of the spec that the kind bounds by a limit of its own: they do not count against `limits.resourceBytes`. */
  readonly ownBounds?: (spec: S) => readonly string[];
  /** Preconditions that need the store; throws Fault. Runs before the row is written, unless its deletion waits already. */
  readonly admit?: (tx: WriteTx, write: SpecWrite<S>, origin: WriteOrigin) => Promise<void>;
  /** Status to store with the row, as the kind's status message; absent = the current one, or phase Ready at creation. */
  readonly observe?: (reads: CheckReads, observed: ObservedSpec<S>) => Promise<Message>;
  /** What else than writes of the resource itself the observed status depends on; absent = on nothing. */
  readonly dependsOn?: StatusDependencies;
  /** System keys of the row: `svc/` labels and annotations that this write sets; undefined values remove. */
  readonly systemKeys?: (tx: WriteTx, write: SpecWrite<S>) => Promise<SystemKeys>;
  /** Side effects in the same transaction, after the row is written, and what only a write that changes something must pass. */
  readonly applied?: (
    tx: WriteTx,
    write: SpecWrite<S> & { readonly stored: StoredResource },
    origin: WriteOrigin,
  ) => Promise<void>;
  /**
   * Settles with others of its kind who gets what, in the same transaction behind `applied`; answers the resource as it is stored
   * then. Its deletion may wait already.
   */
  readonly settle?: (tx: WriteTx, stored: StoredResource) => Promise<StoredResource>;
  /** Whether the origin may delete the resource at all; throws Fault. Not asked where the program itself removes it. */
  readonly admitRemoval?: (tx: WriteTx, resource: StoredResource, origin: WriteOrigin) => Promise<void>;
  /** Removes what cannot outlive the resource, before its row goes. */
  readonly removing?: (tx: WriteTx, resource: StoredResource, origin: WriteOrigin) => Promise<void>;
}

export interface SystemKeys {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

/** Registers a contract with its type of spec set aside; the pipeline hands each contract only specs of its kind. */
export const kindContract = <S extends Message>(contract: KindContract<S>): KindContract =>
  contract as unknown as KindContract;

/** What a resource shall be. An absent part stays as it is; at creation it is empty. */
export interface DesiredResource {
  readonly spec?: Message;
  /** What of the spec the caller wrote, where `spec` was computed from stored values too; absent = all of it. */
  readonly given?: Message;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owners?: readonly StoredOwner[];
  readonly finalizers?: readonly string[];
  /** Set by the program, not by the caller: passes the check of `svc/` keys. */
  readonly system?: SystemKeys;
}

export interface WriteInput extends DesiredResource {
  readonly key: ResourceKey;
  /** Absent = `svc/v1`. */
  readonly apiVersion?: string;
  /** '' or absent = unconditional. */
  readonly resourceVersion?: string;
  /** Where the metadata is in the request, for field paths: `metadata.` (default) or '' when labels are top-level. */
  readonly metadataPath?: string;
  /** Uid of a resource that is created, kept when it is free; absent, '' or taken = a new one. */
  readonly uid?: string;
}

export type WriteOutcome = 'created' | 'updated' | 'unchanged';

export interface WriteResult {
  readonly resource: StoredResource;
  readonly outcome: WriteOutcome;
}

export interface ModifyInput {
  readonly key: ResourceKey;
  readonly resourceVersion?: string;
  readonly metadataPath?: string;
  /** What the resource shall be, computed from what it is; may read through the transaction. */
  readonly change: (current: StoredResource) => DesiredResource | Promise<DesiredResource>;
}

export type Propagation = 'background' | 'foreground' | 'orphan';

export interface RemoveInput {
  readonly key: ResourceKey;
  readonly resourceVersion?: string;
  readonly propagation?: Propagation;
  /** Strips the finalizers; audited. */
  readonly force?: boolean;
  /** The program itself removes it: also from a deleted namespace. */
  readonly bySystem?: boolean;
}

export interface RemoveResult {
  /** As last stored. */
  readonly resource: StoredResource;
  /** Finalizers or dependants still hold it. */
  readonly pending: boolean;
}

/** A change that only the program makes: no generation, no audit record. */
export interface StatusChange {
  /** Status message of the kind; absent = as it is. */
  readonly status?: Message;
  readonly system?: SystemKeys;
  readonly finalizers?: readonly string[];
}

/** The only way resources are written. All of a call runs in the caller's transaction. */
export interface ResourceWriter {
  /** Throws `<KIND>_EXISTS`. */
  create(tx: WriteTx, origin: WriteOrigin, input: WriteInput): Promise<WriteResult>;
  /** Creates or replaces; absent labels and annotations are emptied, system keys stay. */
  put(tx: WriteTx, origin: WriteOrigin, input: WriteInput): Promise<WriteResult>;
  /** Throws `<KIND>_NOT_FOUND`; of what exists every field fault of the change first, then CONFLICT. */
  modify(tx: WriteTx, origin: WriteOrigin, input: ModifyInput): Promise<WriteResult>;
  /** Throws `<KIND>_NOT_FOUND`, CONFLICT. */
  remove(tx: WriteTx, origin: WriteOrigin, input: RemoveInput): Promise<RemoveResult>;
  /** Writes what `change` answers when that differs; undefined when there is no such resource. */
  writeStatus(
    tx: WriteTx,
    key: ResourceKey,
    change: (current: StoredResource) => StatusChange | undefined,
  ): Promise<StoredResource | undefined>;
  /** Faults that a write would find in labels, annotations, owners and finalizers, for callers with preconditions of their own. */
  metadataFaults(
    wanted: DesiredResource,
    place: { readonly current: StoredResource | undefined; readonly path: string },
  ): readonly FieldViolation[];
}

export { RESOURCES_CHANGED } from '../store/contracts/index.ts';
export * from './reconcile-contract.ts';
