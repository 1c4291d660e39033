import { Fault } from '../../base/index.ts';
import type { ChannelLogReads, ChannelLogWrites } from './channel-log.ts';
import type { ResourceReads, ResourceWrites } from './resource-store.ts';
import type { SearchReads, SearchWrites } from './search-index.ts';
import type { SessionLogReads, SessionLogWrites } from './session-log.ts';
import type { DescribedReads, DescribedWrites } from './tables/index.ts';
import type { AuditWrites, CounterWrites, InstanceValues, ObjectReferences } from './work-tables.ts';

/** One consistent snapshot: the tables written by hand, and those that are described. */
export interface ReadTx extends DescribedReads {
  readonly resources: ResourceReads;
  readonly log: SessionLogReads;
  readonly channels: ChannelLogReads;
  readonly search: SearchReads;
  readonly audit: Pick<AuditWrites, 'list' | 'chainHead'>;
  readonly objects: Pick<ObjectReferences, 'hasReference'>;
  readonly counters: Pick<CounterWrites, 'sum' | 'hottest'>;
  readonly instance: Pick<InstanceValues, 'value'>;
}

export interface WriteTx extends DescribedWrites {
  readonly resources: ResourceWrites;
  readonly log: SessionLogWrites;
  readonly channels: ChannelLogWrites;
  readonly search: SearchWrites;
  readonly audit: AuditWrites;
  readonly counters: CounterWrites;
  readonly objects: ObjectReferences;
  readonly instance: InstanceValues;
  /** Unix time by the machine's clock, micros; may step back with it. Constant within the transaction. */
  now(): number;
  /** Clock of the store, micros, as `Store.steadyNow`. Constant within the transaction. */
  steadyNow(): number;
  /** Runs `work`; when it throws a Fault, only its own writes are undone and the Fault is rethrown. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Waits until no other transaction is under way that named one of the same things, and holds them until the end. For functions
   * that write many rows, before anything else: two that come to wait for each other's rows both have to begin again. And before
   * counting what a limit is kept by.
   */
  inLine(names: readonly string[]): Promise<void>;
  /**
   * Lets everybody else have a turn, for functions that work longer than a few milliseconds. The transaction stays open: no one
   * sees anything of it, and writes of others that would have to wait for its end keep waiting.
   */
  pause(): Promise<void>;
  /** Runs after the commit is durable, in order, before `write` resolves; never when the transaction failed. */
  afterCommit(effect: () => void): void;
}

/** The earlier of both clocks: what is older than a while ago by it may go, and a clock that is set forward takes nothing early. */
export const earlierNow = (clocks: Pick<WriteTx, 'now' | 'steadyNow'>): number =>
  Math.min(clocks.now(), clocks.steadyNow());

/** A worker that can be seen to live. */
export interface Presence {
  /** The worker is gone: claims that it left are found by `deadClaims`. */
  close(): Promise<void>;
}

/**
 * Invariants every engine keeps:
 * S1 `write` resolves only once its commit is on disk; nothing that follows from it can be seen earlier.
 * S2 A read that saw a commit not yet on disk waits for it.
 * S3 The function of a transaction awaits nothing but the handle; it may run again, so it has no outside effect.
 * S4 Writes of one store are serialisable; versions of resources rise in commit order.
 * S5 A failing transaction leaves no trace; a Fault thrown inside passes through unchanged.
 */
export interface Store {
  /** `isUrgent`: what others lose when it waits behind ordinary writes, such as the renewal of claims; for short functions. */
  write<T>(work: (tx: WriteTx) => Promise<T>, options?: { readonly isUrgent?: boolean }): Promise<T>;
  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T>;
  /** Single reads without a snapshot of their own; the hot path of Get operations. They wait for commits as S2 says. */
  readonly direct: ReadTx;
  /**
   * Shows that a worker of this process lives: until its presence or the store is closed, or the process ends in whatever way.
   * Then `deadClaims` finds its claims without waiting for their leases. A shortcut only: who may write is settled by fences.
   * `onReturn`: the store lost sight of the worker for a while, and others may have taken its claims meanwhile.
   */
  announce(worker: string, onReturn: () => void): Promise<Presence>;
  /** Changes when the store was restored: old claims and cursors are refused. */
  readonly epoch: string;
  /**
   * Unix time by the machine's clock, micros, which may be set forward and back: for times that people read, and for what counts
   * by them. Neither an order nor the right to do something may depend on it.
   */
  now(): number;
  /**
   * Clock of the store, micros: begins as Unix time, never steps, and is never behind what other nodes see. For claims, leases,
   * waits, and places in a queue.
   */
  steadyNow(): number;
  /** Cheap check for /readyz; throws Fault UNAVAILABLE STORAGE. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Named points before and after durable writes and outbound calls; crash tests end the process at one. */
export type FaultPoints = (point: string) => void;

/** Rows that are removed in one transaction. */
const TRIM_ROWS = 500;

/** Removes what `trim` finds, at most the number of rows that it is given, in a transaction each: other writers come in between. */
export const trimInBatches = async (
  store: Pick<Store, 'write'>,
  trim: (tx: WriteTx, rows: number) => Promise<number>,
): Promise<void> => {
  while ((await store.write((tx) => trim(tx, TRIM_ROWS))) === TRIM_ROWS);
};

/** Ends a transaction that must leave nothing behind. */
class Undo extends Fault {
  constructor() {
    super('ABORTED', 'CONFLICT', 'dry run');
  }
}

/** Runs the work as a whole transaction, with everything in it, and undoes it; answers what the work answered. */
export const undone = async <T>(store: Pick<Store, 'write'>, work: (tx: WriteTx) => Promise<T>): Promise<T> => {
  const undo = new Undo();
  let outcome: { readonly value: T } | undefined;
  try {
    await store.write(async (tx) => {
      outcome = { value: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error === undo && outcome !== undefined) return outcome.value;
    throw error;
  }
  throw new Error('a transaction that was to be undone was committed');
};
