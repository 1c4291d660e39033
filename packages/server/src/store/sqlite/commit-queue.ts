import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fault, Log } from '../../base/index.ts';
import type { FaultPoints, WriteTx } from '../contracts/index.ts';
import type { FullDisk } from '../rows/index.ts';
import type { Connection, Statement } from './connection.ts';
import { givenUp, isSqliteError, isSyncFailure, storageFault, toCallerError } from './storage-fault.ts';
import type { Tables } from './tables/index.ts';
import type { WalSyncer } from './wal-syncer.ts';
import { Savepoints, WriteScope, WriteTransaction } from './write-transaction.ts';

/** Transaction functions in one group at most: bounds how long a group holds the event loop. */
const MAX_GROUP = 128;
/** Groups that run with savepoints after one that had to run again. */
const GUARDED_GROUPS = 32;
/** Functions waiting at most; more are refused, so that a stuck disk does not fill the memory. */
const MAX_WAITING = 100_000;

export interface CommitQueueOptions {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly syncer: WalSyncer;
  readonly log: Log;
  /** Unix time, micros. */
  readonly now: () => number;
  /** Clock of the store, micros. */
  readonly steadyNow: () => number;
  /** Answers a token that was never used in this database. */
  readonly nextToken: () => string;
  readonly fatal: (error: unknown) => void;
  readonly disk: Pick<FullDisk, 'noteFailure' | 'noteCommit'>;
  /** Runs inside the group's transaction when it changed something (the clock's high-water mark). */
  readonly beforeCommit: () => void;
  /** Runs after each commit, before its sync begins. */
  readonly afterCommit: () => void;
  /** After every group, committed or rolled back. */
  readonly afterGroup: () => void;
  readonly faults?: FaultPoints;
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

interface Job {
  readonly work: (tx: WriteTx) => Promise<unknown>;
  readonly settle: (outcome: Outcome) => void;
  outcome: Outcome;
  effects: readonly (() => void)[];
  /** It waited for something other than its handle: it is not run again. */
  isStalled: boolean;
}

/** How a group ended: committed; spoiled by a function that failed after a write; or given up by SQLite. */
type GroupEnd = 'committed' | 'spoiled' | 'lost';

const NOT_RUN: Outcome = { ok: false, error: new Error('the transaction function did not run') };

/**
 * Group commit. Invariants, cited by the tests:
 * Q1 Functions run one after the other, in the order of their `submit`, all of one event-loop turn in one transaction.
 * Q2 A function that fails undoes its own writes only; the others of its group are not affected. A group first runs without
 *    savepoints, each of which makes SQLite copy every page it touches; only when a function failed after a write is the
 *    group rolled back and run again with one savepoint for each function.
 * Q3 Nothing of a group is settled, and no effect of it runs, before a sync that began after its commit.
 * Q4 A function that waits for anything but its handle is ended with an error; the queue continues.
 *    By `pause` it lets the event loop turn; its group stays open, and the queue waits for its end.
 * Q5 When SQLite gives up a whole transaction, its functions run again alone, so that only the culprit is refused.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #jobs: Savepoints;
  readonly #steps: Savepoints;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #waiting: Job[] = [];
  #isScheduled = false;
  #isRunning = false;
  #pauses = 0;
  /** Groups that are still to run with savepoints. */
  #guardedGroups = 0;
  #idle: (() => void)[] = [];
  #stall: (() => void) | undefined;
  #closing: Fault | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#jobs = new Savepoints(options.connection, options.tables, 'job');
    this.#steps = new Savepoints(options.connection, options.tables, 'step');
    this.#begin = options.connection.statement('BEGIN IMMEDIATE');
    this.#commit = options.connection.statement('COMMIT');
    this.#rollback = options.connection.statement('ROLLBACK');
  }

  submit<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closing !== undefined) return reject(this.#closing);
      if (this.#waiting.length >= MAX_WAITING) return reject(storageFault('too many writes are waiting'));
      const settle = (outcome: Outcome): void => {
        if (outcome.ok) resolve(outcome.value as T);
        else reject(outcome.error);
      };
      this.#waiting.push({ work, settle, outcome: NOT_RUN, effects: [], isStalled: false });
      this.#schedule();
    });
  }

  /** Runs `work` while no transaction is open and none begins. */
  async pausedWhile(work: () => Promise<void>): Promise<void> {
    this.#pauses++;
    try {
      if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
      await work();
    } finally {
      this.#pauses--;
      this.#schedule();
    }
  }

  /** Refuses new functions with `refusal`; resolves when the waiting ones are settled. */
  async close(refusal: Fault): Promise<void> {
    this.#closing = refusal;
    while (this.#isRunning || this.#waiting.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#options.syncer.synced();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRunning || this.#pauses > 0 || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#pauses === 0) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    const group = this.#waiting.splice(0, MAX_GROUP);
    const watch = this.#watchForStalls();
    try {
      const end = await this.#runWhole(group);
      if (end !== 'committed') for (const job of group) if (!job.isStalled) await this.#runGroup([job], false);
    } catch (error) {
      this.#options.fatal(error);
    }
    watch.stop();
    this.#options.afterGroup();
    this.#settleWhenSynced(group);
    this.#isRunning = false;
    for (const resolve of this.#idle.splice(0)) resolve();
    this.#schedule();
  }

  /** With savepoints from the start for a while after a group that needed them: failures come in swarms. */
  async #runWhole(group: readonly Job[]): Promise<GroupEnd> {
    if (group.length > 1 && this.#guardedGroups > 0) {
      this.#guardedGroups--;
      return this.#runGroup(group, true);
    }
    const end = await this.#runGroup(group, false);
    if (end !== 'spoiled') return end;
    this.#guardedGroups = GUARDED_GROUPS;
    return this.#runGroup(
      group.filter((job) => !job.isStalled),
      true,
    );
  }

  /** Other ends than 'committed': nothing of the group was committed and it should run again. A group of one always ends. */
  async #runGroup(group: readonly Job[], isGuarded: boolean): Promise<GroupEnd> {
    const { connection } = this.#options;
    let isDirty = false;
    try {
      this.#begin.run();
      for (const job of group) {
        const end = await this.#runJob(job, isGuarded);
        if (!connection.isInTransaction) return group.length === 1 ? 'committed' : 'lost';
        if (end === 'spoiled') return this.#undo(group);
        isDirty = end === 'wrote' || isDirty;
      }
      if (isDirty) this.#options.beforeCommit();
      this.#options.faults?.('store.commit');
      this.#commit.run();
    } catch (error) {
      return this.#groupFailed(group, error);
    }
    if (isDirty) {
      this.#options.disk.noteCommit(this.#nowMs());
      this.#options.afterCommit();
      this.#options.syncer.noteCommit();
    }
    return 'committed';
  }

  /** Whether the function's writes are part of the group now; 'spoiled' = it failed and its writes are still there. */
  async #runJob(job: Job, isGuarded: boolean): Promise<'wrote' | 'read' | 'spoiled'> {
    const { connection, tables, now, steadyNow, nextToken } = this.#options;
    const times = { now: now(), steadyNow: steadyNow() };
    const scope = new WriteScope(connection, tables, { ...times, nextToken, pause: this.#pause });
    if (isGuarded) this.#jobs.begin();
    try {
      const value = await this.#guarded(job, new WriteTransaction(scope, this.#steps));
      scope.close();
      // Also where the function did not mind that SQLite gave the transaction up.
      if (!this.#options.connection.isInTransaction) throw givenUp();
      if (isGuarded) this.#jobs.keep();
      job.outcome = { ok: true, value };
      job.effects = scope.effects;
      return scope.isDirty ? 'wrote' : 'read';
    } catch (error) {
      scope.close();
      job.outcome = { ok: false, error: this.#refusal(error) };
      job.effects = [];
      if (isSyncFailure(error)) this.#options.fatal(error);
      this.#options.tables.resourceWrites.forgetVersion();
      if (isGuarded && this.#options.connection.isInTransaction) this.#jobs.undo();
      return isGuarded || !scope.isDirty ? 'read' : 'spoiled';
    }
  }

  /** Takes back what a group without savepoints wrote; a function alone keeps its error. */
  #undo(group: readonly Job[]): GroupEnd {
    this.#rollback.run();
    return group.length === 1 ? 'committed' : 'spoiled';
  }

  /** Settles with the function, or with an error once the event loop turned while it had not ended (Q4). */
  #guarded(job: Job, tx: WriteTx): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#stall = () => {
        job.isStalled = true;
        reject(new Error('a transaction function waited for something other than its handle'));
      };
      job.work(tx).then(resolve, reject);
    });
  }

  readonly #pause = async (): Promise<void> => {
    const stall = this.#stall;
    this.#stall = undefined;
    await nextTurn();
    this.#stall = stall;
  };

  #watchForStalls(): { stop(): void } {
    const turned = (): void => {
      this.#stall?.();
      immediate = setImmediate(turned);
    };
    let immediate = setImmediate(turned);
    return { stop: () => clearImmediate(immediate) };
  }

  #refusal(error: unknown): unknown {
    const refusal = toCallerError(error);
    this.#options.disk.noteFailure(refusal, this.#nowMs());
    return refusal;
  }

  #nowMs(): number {
    return this.#options.steadyNow() / 1_000;
  }

  #groupFailed(group: readonly Job[], error: unknown): GroupEnd {
    const { connection, tables, fatal } = this.#options;
    tables.resourceWrites.forgetVersion();
    if (isSyncFailure(error)) fatal(error);
    try {
      if (connection.isInTransaction) this.#rollback.run();
    } catch (cause) {
      fatal(cause);
    }
    const refusal = isSqliteError(error) ? this.#refusal(error) : storageFault('the database could not write', error);
    for (const job of group) {
      job.outcome = { ok: false, error: refusal };
      job.effects = [];
    }
    return group.length === 1 ? 'committed' : 'lost';
  }

  /** A function that failed waits as well: what it saw may not be on disk yet. */
  #settleWhenSynced(group: readonly Job[]): void {
    this.#options.syncer.whenSynced((error) => {
      for (const job of group) {
        if (error !== undefined) {
          job.settle({ ok: false, error });
          continue;
        }
        for (const effect of job.effects) this.#runEffect(effect);
        job.settle(job.outcome);
      }
    });
  }

  #runEffect(effect: () => void): void {
    try {
      effect();
    } catch (error) {
      this.#options.log.error('an effect after a commit failed', {}, error);
    }
  }
}
