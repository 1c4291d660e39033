import { type Queries, statement } from '../connection/index.ts';

/** Entries read in one step. */
const STEP = 1_000;
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 20;
/** A hole that was there so often is not one of the moment: the sessions of the database are asked, which costs more than a snapshot. */
const LOOKS_BEFORE_ASKING = 5;
/** A hole is filled or given up within the 5 s that a transaction may take; then the wait is over. */
const MAX_WAIT_MS = 6_000;

/** The numbered logs; the names are used in SQL. */
export type LogName = 'changes' | 'audit';

const COLUMN: Readonly<Record<LogName, string>> = { changes: 'version', audit: 'position' };

/** Numbers behind a place, and the oldest transaction not ended, of one snapshot. */
const nextOf = (log: LogName) =>
  statement<{ numbers: string; oldest_open: number }>(
    `SELECT coalesce((SELECT json_agg(number) FROM (SELECT ${COLUMN[log]} AS number FROM ${log} WHERE ${COLUMN[log]} > $1
       ORDER BY ${COLUMN[log]} LIMIT ${STEP}) n), '[]')::text AS numbers,
     pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest_open`,
  );
const NEXT: Readonly<Record<LogName, ReturnType<typeof nextOf>>> = {
  changes: nextOf('changes'),
  audit: nextOf('audit'),
};
/** A number of our own: every transaction that had taken its number before has a smaller one. */
const OWN_NUMBER = statement<{ number: number }>('SELECT pg_current_xact_id()::text::bigint AS number');
/** Transactions open in this database that have a smaller number. Sessions show its last 32 bits, to every user. */
const OPEN_HERE = statement<{ count: number }>(
  `SELECT count(*) AS count FROM pg_stat_activity
   WHERE datname = current_database()
     AND mod(mod($1::bigint - backend_xid::text::bigint, 4294967296) + 4294967296, 4294967296) BETWEEN 1 AND 2147483647`,
);
const ENDS = statement<{ greatest: number; oldest: number }>(
  'SELECT coalesce(max(version), 0) AS greatest, coalesce(min(version), 1) AS oldest FROM changes',
);
/** What is chained was complete when it was. */
const CHAINED = statement<{ number: number }>('SELECT coalesce(max(position), 0) AS number FROM audit_chain');

export interface LogFrontierOptions {
  readonly sql: Queries;
  readonly pause: (ms: number) => Promise<void>;
}

interface Hole {
  /** First number seen behind it. */
  readonly below: number;
  /** A transaction that may still fill it has a smaller transaction number than this. */
  readonly openBefore: number;
  /** How often it was still there. */
  looks: number;
}

/**
 * How far one log is complete. Numbers come from a sequence and are committed in any order, so a hole is either a
 * transaction that has not ended or one that was rolled back. Writers take their transaction number before the number of an
 * entry; so a transaction that took a number that is smaller than one seen committed already had a transaction number. At
 * a hole the reader takes a transaction number of its own, and once no older transaction is open, reads again: a hole
 * that is still there is skipped. (`pg_snapshot_xmax` would not do: it is one more than the newest *ended* transaction,
 * and the one that fills the hole may be newer.) Snapshots count the transactions of the whole server; where one stays
 * open, the sessions of this database say whether it is one of theirs. One per process and log; reads that come together
 * share a step.
 */
export class LogFrontier {
  readonly #log: LogName;
  readonly #options: LogFrontierOptions;
  #complete: number | undefined;
  #hole: Hole | undefined;
  #step: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(log: LogName, options: LogFrontierOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** The newest number at or below which nothing can appear any more. `waits`: until holes below what is committed are settled. */
  async reached(waits: boolean): Promise<number> {
    await this.#advance();
    let waited = 0;
    for (let ms = FIRST_PAUSE_MS; waits && this.#hole !== undefined && waited < MAX_WAIT_MS; ) {
      await this.#options.pause(ms);
      waited += ms;
      ms = Math.min(ms * 2, MAX_PAUSE_MS);
      await this.#advance();
    }
    return this.#complete ?? 0;
  }

  /** A step that began after this call; callers of one moment share it. */
  async #advance(): Promise<void> {
    if (this.#step === undefined) return this.#begin();
    this.#next ??= this.#step
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#step ??= this.#walk().finally(() => {
      this.#step = undefined;
    });
    return this.#step;
  }

  async #walk(): Promise<void> {
    this.#complete ??= await this.#start();
    for (;;) {
      // Asked first: what has ended by then is in the snapshot.
      const over = await this.#overHere();
      const row = await this.#options.sql.one(NEXT[this.#log], [this.#complete]);
      const numbers = JSON.parse(row.numbers) as number[];
      const oldestOpen = row.oldest_open;
      for (const number of numbers) {
        if (number !== this.#complete + 1 && !this.#isSettled(number, oldestOpen, over)) return this.#noteHole(number);
        this.#complete = number;
      }
      this.#hole = undefined;
      if (numbers.length < STEP) return;
    }
  }

  /** True when everyone who might have filled the hole below `number` has ended, in the snapshot that was read; `over`: a hole of which this is known. */
  #isSettled(number: number, oldestOpen: number, over: Hole | undefined): boolean {
    const hole = this.#hole;
    return hole !== undefined && number <= hole.below && (oldestOpen >= hole.openBefore || hole === over);
  }

  /** The hole at which the log ends, when it has been there for a while and no session of this database can fill it. */
  async #overHere(): Promise<Hole | undefined> {
    const hole = this.#hole;
    if (hole === undefined || hole.looks < LOOKS_BEFORE_ASKING) return undefined;
    return (await this.#isOpenHere(hole.openBefore)) ? undefined : hole;
  }

  async #isOpenHere(before: number): Promise<boolean> {
    return (await this.#options.sql.one(OPEN_HERE, [before])).count > 0;
  }

  async #noteHole(below: number): Promise<void> {
    if (this.#hole !== undefined && this.#hole.below >= below) {
      this.#hole.looks += 1;
      return;
    }
    const own = await this.#options.sql.one(OWN_NUMBER);
    this.#hole = { below, openBefore: own.number, looks: 1 };
  }

  /**
   * Where a new reader begins. Of changes: at the greatest version seen, once every transaction of that moment has ended; when
   * one does not end, before the oldest entry, which takes longer and is as true. Of audit: behind what is chained.
   */
  async #start(): Promise<number> {
    const { sql, pause } = this.#options;
    if (this.#log === 'audit') return (await sql.one(CHAINED)).number;
    const { greatest, oldest } = await sql.one(ENDS);
    if (greatest === 0) return 0;
    const own = (await sql.one(OWN_NUMBER)).number;
    for (let waited = 0; waited < MAX_WAIT_MS; waited += MAX_PAUSE_MS) {
      const row = await sql.one(NEXT.changes, [greatest]);
      if (row.oldest_open >= own) return greatest;
      if (waited >= LOOKS_BEFORE_ASKING * MAX_PAUSE_MS && !(await this.#isOpenHere(own))) return greatest;
      await pause(MAX_PAUSE_MS);
    }
    return oldest - 1;
  }
}
