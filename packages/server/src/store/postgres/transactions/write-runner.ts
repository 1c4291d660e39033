import { type BackoffRule, backoffMs, type Log, type Random } from '../../../base/index.ts';
import type { FaultPoints, WriteTx } from '../../contracts/index.ts';
import type { FullDisk } from '../../rows/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import {
  ConnectionLost,
  type Database,
  isLockRefused,
  NotRun,
  ServerError,
  type Session,
  statement,
  storageFault,
  toCallerError,
} from '../connection/index.ts';
import { KnownRows, ReadSet } from '../reads/index.ts';
import { TransactionScope } from './transaction-scope.ts';
import { WriteGate } from './write-gate.ts';
import { WriteTransaction } from './write-transaction.ts';

/** Runs of one function at most; every run but the first follows a conflict with another transaction. */
const MAX_RUNS = 40;
/** Runs begin within this time; each may wait seconds for a lock. */
const MAX_REPEAT_MS = 15_000;
/** Runs side by side with everybody else; later ones queue, one at a time in the whole database. */
const FREE_RUNS = 4;
/** Runs after a connection that was lost before COMMIT was sent: then nothing of the run can have happened. */
const MAX_RECONNECTS = 3;
const PAUSE: BackoffRule = { firstMs: 1, factor: 2, capMs: 50, jitter: 1 };
/** After a run that was refused a lock: an apply of many documents keeps what it has changed for seconds. */
const HELD_PAUSE: BackoffRule = { firstMs: 1, factor: 2, capMs: 500, jitter: 0.5 };

const STAND_IN_LINE = statement(`SELECT pg_advisory_xact_lock(hashtextextended('svc repeated writes', 0))`);

export interface WriteRunnerOptions {
  readonly database: Database;
  readonly frontiers: Access['frontiers'];
  readonly rounds: Access['rounds'];
  readonly vectors: Access['vectors'];
  readonly judge: WriteAccess['judge'];
  readonly random: Random;
  readonly log: Log;
  readonly disk: Pick<FullDisk, 'noteFailure' | 'noteCommit'>;
  readonly nextToken: () => string;
  /** Unix time, micros. */
  readonly now: () => number;
  /** Clock of the store, micros; brought up to date first when that is due. */
  readonly steadyNow: () => Promise<number>;
  readonly pause: (ms: number) => Promise<void>;
  /** A clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Write transactions at once. */
  readonly limit: number;
  readonly faults?: FaultPoints;
}

interface RunRules {
  /** Rows that made earlier runs fail. */
  readonly hot: Set<string>;
  readonly isCareful: boolean;
  readonly isRepeat: boolean;
  readonly isInLine: boolean;
}

type Outcome<T> =
  | { readonly type: 'done'; readonly value: T; readonly effects: readonly (() => void)[] }
  /** Nothing was written; another transaction was in the way, or something was not as it was taken for granted. */
  | { readonly type: 'conflict'; readonly error: unknown; readonly wasMistaken: boolean; readonly wasHeld: boolean }
  /** Nothing was written; the connection broke before COMMIT was sent. */
  | { readonly type: 'cut'; readonly wasSilent: boolean; readonly error: unknown };

/**
 * Write transactions. Invariants, cited by the tests:
 * W1 A run that lost against another transaction, or whose reads are stale, leaves no trace and is repeated.
 * W2 Effects run, and `write` resolves, only after the server answered COMMIT with COMMIT.
 * W3 A COMMIT without an answer is UNAVAILABLE and is never repeated: what happened is not known.
 * W4 A transaction whose program fell silent is ended by the server after 5 s, and with it every lock.
 */
export class WriteRunner {
  readonly #options: WriteRunnerOptions;
  readonly #gate: WriteGate;
  readonly #known = new KnownRows();

  constructor(options: WriteRunnerOptions) {
    this.#options = options;
    this.#gate = new WriteGate(options.limit, options.monotonicMs);
  }

  /** `isUrgent`: before all that wait, and in parallel with those that run. */
  async write<T>(work: (tx: WriteTx) => Promise<T>, isUrgent = false): Promise<T> {
    await this.#gate.enter(isUrgent);
    const { disk, monotonicMs } = this.#options;
    try {
      return await this.#repeat(work);
    } catch (error) {
      disk.noteFailure(error, monotonicMs());
      throw error;
    } finally {
      this.#gate.leave();
    }
  }

  /** Resolves when no write is under way or waits. */
  idle(): Promise<void> {
    return this.#gate.idle();
  }

  async #repeat<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    const { log, pause, random, monotonicMs } = this.#options;
    const begunMs = monotonicMs();
    const hot = new Set<string>();
    let reconnects = 0;
    let isCareful = false;
    for (let run = 1; ; run++) {
      const how: RunRules = { hot, isCareful, isRepeat: run > 1, isInLine: run > FREE_RUNS };
      const outcome: Outcome<T> = await this.#run(work, how);
      if (outcome.type === 'done') {
        for (const effect of outcome.effects) this.#runEffect(effect);
        return outcome.value;
      }
      isCareful ||= outcome.type === 'conflict' && outcome.wasMistaken;
      if (outcome.type === 'cut' && (outcome.wasSilent || ++reconnects > MAX_RECONNECTS))
        throw toCallerError(outcome.error);
      if (run >= MAX_RUNS || monotonicMs() - begunMs >= MAX_REPEAT_MS) {
        log.warn('a write was given up: others were in its way each time', { runs: run });
        throw storageFault('too many writes of the same rows', outcome.error);
      }
      const isHeld = outcome.type === 'conflict' && outcome.wasHeld;
      await pause(backoffMs(isHeld ? HELD_PAUSE : PAUSE, run, random));
    }
  }

  async #run<T>(work: (tx: WriteTx) => Promise<T>, how: RunRules): Promise<Outcome<T>> {
    const steadyNow = await this.#options.steadyNow();
    const now = this.#options.now();
    const session = await this.#options.database.acquire();
    const scope = new TransactionScope(session, how);
    const reads = new ReadSet(how.hot, this.#known, how.isRepeat);
    const { frontiers, rounds, vectors, judge, nextToken } = this.#options;
    const tx = new WriteTransaction(
      { sql: scope, reads, now, steadyNow, frontiers, rounds, vectors, judge, nextToken },
      scope,
    );
    const run: Run = { session, scope, reads, isOver: false };
    try {
      if (how.isInLine) await scope.rows(STAND_IN_LINE);
      const value = await work(tx);
      return await this.#finish(run, { value, effects: tx.effects });
    } catch (error) {
      return await this.#giveUp(run, error);
    } finally {
      scope.close();
      // One whose transaction may be open is closed. A new one costs the server a process, so a refusal keeps its own.
      session.release(!run.isOver);
    }
  }

  async #finish<T>(
    run: Run,
    done: { readonly value: T; readonly effects: readonly (() => void)[] },
  ): Promise<Outcome<T>> {
    const { session, scope, reads } = run;
    const lost = await this.#isLost(run);
    if (lost !== undefined) return lost;
    this.#options.faults?.('store.commit');
    if (session.lost !== undefined) return { type: 'cut', wasSilent: session.wasSilent, error: session.lost };
    const isHeld = reads.holdLater(scope);
    scope.close();
    let tag: string;
    try {
      tag = await session.command('COMMIT');
      run.isOver = true;
    } catch (error) {
      if (error instanceof ConnectionLost) throw new CommitUnknown(error);
      if (!(error instanceof NotRun)) throw error;
      // What was sent with it was refused, so the server never came to it.
      tag = await rollback(run);
    }
    if (tag !== 'COMMIT') {
      if (isHeld && isRefusedHold(scope.failure)) await reads.findStale(session);
      throw scope.failure ?? storageFault('the transaction was given up by the database');
    }
    reads.committed();
    // What only read says nothing of the disk.
    if (scope.hasWritten) this.#options.disk.noteCommit(this.#options.monotonicMs());
    this.#options.faults?.('store.synced');
    return { type: 'done', ...done };
  }

  /** Set when the run is to be repeated; what it read is checked here when that takes more than a question with COMMIT. */
  async #isLost(run: Run): Promise<Outcome<never> | undefined> {
    const { scope, reads } = run;
    const holds = !scope.hasConflict && (reads.isSimple || (await reads.holds(scope)));
    if (holds) return undefined;
    await rollback(run);
    return conflictOf(scope, scope.failure);
  }

  /** What a run that threw comes to; rethrows when the caller is to see it. */
  async #giveUp(run: Run, error: unknown): Promise<Outcome<never>> {
    const { session, scope, reads } = run;
    if (error instanceof CommitUnknown)
      throw storageFault(
        'the connection to the database was lost during the commit: it is not known whether it happened',
        error,
      );
    const { lost } = session;
    if (lost !== undefined) {
      if (isOwn(error)) throw error;
      return { type: 'cut', wasSilent: session.wasSilent, error: lost };
    }
    await scope.settled();
    // After a COMMIT that was refused nothing more can be asked of the transaction.
    const isHealthy = scope.isOpen && scope.failure === undefined;
    const isKnownStale = scope.hasConflict || scope.wasMistaken || reads.isStale;
    let isStale: boolean;
    try {
      isStale = isKnownStale || (isHealthy && !(await wereTrue(reads, scope)));
    } catch (failure) {
      // Whether the function was right to throw is not known, and nothing of the run can have happened.
      if (session.lost !== undefined) return { type: 'cut', wasSilent: session.wasSilent, error: session.lost };
      await rollback(run);
      throw toCallerError(failure);
    }
    await rollback(run);
    if (isStale) return conflictOf(scope, error);
    throw toCallerError(error);
  }

  #runEffect(effect: () => void): void {
    try {
      effect();
    } catch (error) {
      this.#options.log.error('an effect after a commit failed', {}, error);
    }
  }
}

interface Run {
  readonly session: Session;
  readonly scope: TransactionScope;
  readonly reads: ReadSet;
  /** True once its transaction has ended and the server has said so. */
  isOver: boolean;
}

const conflictOf = (scope: TransactionScope, error: unknown): Outcome<never> => ({
  type: 'conflict',
  error,
  wasMistaken: scope.wasMistaken,
  wasHeld: isLockRefused(scope.failure),
});

/** SQLSTATE of a division by zero: what `ReadSet.holdLater` makes of a read that is stale. */
const isRefusedHold = (error: unknown): boolean => error instanceof ServerError && error.code === '22012';

/** COMMIT was sent and no answer came. */
class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the commit was not answered', { cause });
  }
}

/** True for an error that the function threw for reasons of its own. */
const isOwn = (error: unknown): boolean => toCallerError(error) === error && !isStorage(error);

const isStorage = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && error.reason === 'STORAGE';

/** A function that failed on stale reads runs again; locks that cannot be had at once count as stale. */
const wereTrue = async (reads: ReadSet, scope: TransactionScope): Promise<boolean> => {
  try {
    return await reads.heldTogether(scope);
  } catch (error) {
    if (scope.hasConflict) return false;
    throw error;
  }
};

const rollback = async (run: Run): Promise<string> => {
  try {
    const tag = await run.session.command('ROLLBACK');
    run.isOver = true;
    return tag;
  } catch (error) {
    // The server ends the transaction of a connection that is gone.
    if (!(error instanceof ConnectionLost)) throw error;
    return 'ROLLBACK';
  }
};
