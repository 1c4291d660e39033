import {
  type BackoffRule,
  backoffMs,
  type CancelTimer,
  type Clock,
  type Log,
  type Random,
} from '../../../base/index.ts';
import { type Database, type Queries, type Session, statement } from '../connection/index.ts';

/** Rows of `leases` that say which workers hold a lock while they live; those of older releases hold none. */
export const PRESENCE = 'presence/';
/** SQL of the lock of a presence whose name is `name`. */
export const LOCK_KEY = (name: string): string => `hashtextextended(${name}, 4)`;

const HOLD = statement<{ held: boolean }>(`SELECT pg_try_advisory_lock(${LOCK_KEY('$1')}) AS held`);
const LET_GO = statement<{ freed: boolean }>(`SELECT pg_advisory_unlock(${LOCK_KEY('$1')}) AS freed`);
/** Also the sign of life: it writes only where the row is missing. */
const NOTE = statement('INSERT INTO leases (name, owner, expires_at) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING');
/** Of an orderly end, unless claims are left for others. */
const END = statement(
  'DELETE FROM leases WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.worker = leases.owner)',
);
const WITHDRAW = statement('DELETE FROM leases WHERE name = $1');

/** How often a process checks whether its connection still works: no word comes from a server that vanished. */
const LOOK_MS = 2_000;
const RETRY: BackoffRule = { firstMs: 100, factor: 2, capMs: 1_000, jitter: 0.2 };
/** After a server was lost, others need as long to find their way to the next one. */
const JUDGE_AFTER_MS = 10_000;

export interface WorkerPresenceOptions {
  /** One connection, for the lock. */
  readonly database: Database;
  /** Other connections of the process. */
  readonly calls: Queries;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  readonly worker: string;
  /** The lock was lost and is held again. */
  readonly onReturn: () => void;
}

/**
 * The lock by which others see that a worker of this process lives. Invariants, cited by the tests:
 * P1 The row that says so is there only behind the lock: it is written after the lock was taken.
 * P2 A process that lost the lock takes it again; while it cannot, it removes the row, and its claims count by their
 * leases alone.
 * P3 Who lost its own lock judges no one before everybody had time to take theirs again.
 */
export class WorkerPresence {
  readonly worker: string;
  readonly #options: WorkerPresenceOptions;
  readonly #name: string;
  #session: Session | undefined;
  /** Of the monotonic clock; 0 for a lock that was never lost. */
  #judgesFromMs = 0;
  #cancelLook: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: WorkerPresenceOptions) {
    this.worker = options.worker;
    this.#options = options;
    this.#name = `${PRESENCE}${options.worker}`;
  }

  /** Takes the lock. Where that cannot be had at once it keeps trying, and claims count by their leases meanwhile. */
  async open(): Promise<void> {
    if (!(await this.#hold())) void this.#return();
  }

  /** True while what this process sees of other locks says who is dead. */
  get judges(): boolean {
    return this.#session !== undefined && this.#options.clock.monotonicMs() >= this.#judgesFromMs;
  }

  /** The lock is free when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook?.();
    const session = this.#session;
    this.#session = undefined;
    // A connection that is gone took the lock with it.
    await session?.run(END, [this.#name]).catch(() => undefined);
    await session?.one(LET_GO, [this.#name]).catch(() => undefined);
    session?.release(true);
    await this.#options.database.close();
  }

  /** False when the lock cannot be had now. */
  async #hold(): Promise<boolean> {
    let session: Session | undefined;
    try {
      session = await this.#options.database.acquire();
      const own = session;
      own.whenLost(() => this.#lose(own));
      const { held } = await own.one(HOLD, [this.#name]);
      if (held) await own.run(NOTE, [this.#name, this.worker]);
      if (held && !this.#isClosed && own.lost === undefined) {
        this.#session = own;
        this.#armLook();
        return true;
      }
    } catch (error) {
      if (this.#isClosed) return this.#giveBack(session);
      this.#options.log.warn('the lock that shows this process to be alive cannot be taken', { reason: String(error) });
    }
    return this.#giveBack(session);
  }

  #giveBack(session: Session | undefined): false {
    session?.release(true);
    return false;
  }

  async #return(): Promise<void> {
    const { clock, random, pause, onReturn } = this.#options;
    for (let tries = 1; !this.#isClosed; tries++) {
      await this.#withdraw();
      await pause(backoffMs(RETRY, tries, random));
      if (this.#isClosed || !(await this.#hold())) continue;
      this.#judgesFromMs = clock.monotonicMs() + JUDGE_AFTER_MS;
      onReturn();
      return;
    }
  }

  /** Of a database that cannot be asked either nothing is known, and no one else finds the lock free there. */
  async #withdraw(): Promise<void> {
    await this.#options.calls.run(WITHDRAW, [this.#name]).catch(() => undefined);
  }

  #lose(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#cancelLook?.();
    session.release(true);
    this.#options.log.warn('the connection that shows this process to be alive was lost');
    void this.#return();
  }

  #armLook(): void {
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    try {
      await session.run(NOTE, [this.#name, this.worker]);
      if (this.#session === session) this.#armLook();
    } catch {
      // Whatever the reason: a connection that cannot do this shows nothing.
      this.#lose(session);
    }
  }
}
