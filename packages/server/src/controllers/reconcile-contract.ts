import type { Message } from '@bufbuild/protobuf';
import type { Fault } from '../base/index.ts';
import {
  isStorageFull,
  type ReadTx,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type StoredResource,
  type WriteTx,
} from '../store/contracts/index.ts';

/** What reconcilers and workers of the durable queue are, and how a kind says what its status depends on. */

/** Work that no retry can mend: only a change of the resource, or of what it depends on. */
interface LastingFailure {
  /** Why, for the log; no values of a spec. */
  readonly failed: string;
}

/** How reconciling a key, or running an item, ended. An exception means: again, with backoff. */
export type ReconcileOutcome = { readonly done: true } | { readonly againMs: number } | LastingFailure;

/** What a check of a resource found: there is something to write, or the outcome that reconciling it would have. */
export type CheckResult = ReconcileOutcome | { readonly due: true };

/** Outcome of work that leaves nothing to do. */
export const DONE = { done: true } as const;

const PASSING: ReadonlySet<Fault['code']> = new Set(['UNAVAILABLE', 'ABORTED', 'INTERNAL', 'UNKNOWN']);

/** True for faults that do not lie in what was asked for, such as those of the store: the same work may succeed later. */
export const isPassing = (fault: Fault): boolean => PASSING.has(fault.code) || isStorageFull(fault);

/** What a check may read: the snapshot in which the resource was found, and the time in micros. */
export type CheckReads = Pick<ReadTx, 'resources' | 'log'> & { now(): number };

export interface Reconciler {
  readonly name: string;
  /** Kinds of which every resource is reconciled at start and at each resync. */
  readonly kinds: readonly string[];
  /** False for a change that gives no keys, told at once: most changes are of sessions, which concern few reconcilers. */
  readonly concerns: (change: ResourceChange) => boolean;
  /** Keys to reconcile because of a change; [] for none. */
  readonly keysFor: (change: ResourceChange, reads: ResourceReads) => Promise<readonly ResourceKey[]>;
  /** Reads current state, computes, writes; never branches on what woke it. Where there is a check, called for what is due. */
  readonly reconcile: (key: ResourceKey) => Promise<ReconcileOutcome>;
  /**
   * Whether there is anything to write for a resource; absent = each is reconciled. The loop asks before it reconciles, in full
   * passes many resources in one snapshot. Writes nothing, and what it finds must be true as long as no change of a resource
   * says otherwise. An error that is not a Fault is a lasting failure: the same snapshot would fail again.
   */
  readonly check?: (record: StoredResource, reads: CheckReads) => Promise<CheckResult>;
  /** True when a check depends on resources alone: nothing is checked again while none was written. */
  readonly checksResourcesOnly?: boolean;
  readonly resyncMs: number;
  /** Keys reconciled at a time; absent = one. */
  readonly concurrency?: number;
  /** How long keys of changes wait for further changes before they are reconciled; absent = not at all. */
  readonly debounceMs?: number;
}

export interface WorkItem {
  readonly kind: string;
  readonly key: string;
  readonly payload: string;
}

/** An item with the claim on it, for work that continues next to the queue. */
export interface ClaimedItem extends WorkItem {
  readonly token: string;
}

/** The work of an item continues next to the queue: its claim stays, and its worker renews it. */
export interface WorkGoesOn {
  /** How long the claim holds unless it is renewed. */
  readonly heldMs: number;
}

/** How soon another process takes what one had that died; a process renews what it has long before. */
export const QUEUE_LEASE_MICROS = 10_000_000;

/** Takes due items of its kinds from the durable queue; throwing means: again, with backoff. */
export interface QueueWorker {
  readonly kinds: readonly string[];
  /**
   * Those among `kinds` whose items are due at a Unix time that people see: they follow the machine's clock when it is set. All
   * others wait by the clock of the store. An item that came due before its clock was set back may run again: `run` must judge
   * by what is stored.
   */
  readonly datedKinds?: readonly string[];
  /** One item in its own transaction(s); `againMs` 0 = more of the same work is left; after a lasting failure the item is gone. */
  readonly run: (item: ClaimedItem) => Promise<ReconcileOutcome | WorkGoesOn>;
}

/** Every change of the store in version order, each once, as this process learns of them. */
export interface ChangeFeed {
  /** Calls `receive` with changes after the returned version; returns how to stop. */
  subscribe(receive: (changes: readonly ResourceChange[]) => void): { readonly after: number; stop(): void };
}

/**
 * What the status that a kind observes depends on: it is observed again when that changes, when a resource of the kind does, and
 * at each resync. One reconciler does it for all kinds.
 */
export interface StatusDependencies extends Pick<Reconciler, 'concerns' | 'keysFor' | 'checksResourcesOnly'> {
  /** Observed until the resource is gone, also while its deletion waits; absent = not while it waits. */
  readonly whileDeleting?: boolean;
  /** When to observe again although nothing changes, by the status that holds now; undefined = at the next resync. */
  readonly againMs?: (status: Message, now: number) => number | undefined;
  /** As the check of a Reconciler, for a kind that need not make the whole status to know that it still holds. */
  readonly check?: Reconciler['check'];
  /** What else follows from a status that was due, in its transaction. */
  readonly settled?: (tx: WriteTx, stored: StoredResource) => Promise<void>;
}

/** How a status depends on another kind: on any change or only on its presence; everywhere or in the same namespace. */
interface FollowedKind {
  readonly presenceOnly?: boolean;
  readonly sameNamespace?: boolean;
}

/** The dependencies of a kind of which every resource is observed again, when a resource of the followed kinds changes. */
export const followKinds = (
  kind: string,
  followed: Readonly<Record<string, FollowedKind>>,
): Pick<StatusDependencies, 'concerns' | 'keysFor'> => {
  const byKind: ReadonlyMap<string, FollowedKind> = new Map(Object.entries(followed));
  return {
    concerns: ({ resource: { key } }) => key.kind === kind || byKind.has(key.kind),
    keysFor: async ({ change, resource: { key } }, reads) => {
      const own = key.kind === kind && change !== 'deleted' ? [key] : [];
      const rule = byKind.get(key.kind);
      if (rule === undefined || (rule.presenceOnly === true && change === 'updated')) return own;
      const { namespace } = key;
      const scope =
        rule.sameNamespace === true ? ({ type: 'namespace', namespace } as const) : ({ type: 'all' } as const);
      const found = [...own];
      for await (const page of resourcePages(reads, { kind, scope })) found.push(...page.map((record) => record.key));
      return found;
    },
  };
};
