import type { Queries, WriteQueries } from './connection/index.ts';
import type { Judge } from './presence/index.ts';
import type { ReadSet } from './reads/index.ts';

/** How far the logs are complete: beyond it a transaction may still bring an older entry. */
export interface LogFrontiers {
  /** Newest version of resources below which no write is unfinished; waits for open writes when `waits`. */
  changes(waits: boolean): Promise<number>;
  /** The same for positions of the audit record; never waits. */
  audit(): Promise<number>;
}

/** What reads of the tables need. */
export interface Access {
  readonly sql: Queries;
  readonly frontiers: LogFrontiers;
  /** Where fair turns and sweeps continue; only fairness depends on it, so it is shared by the process. */
  readonly rounds: Rounds;
  /** How vectors are compared here; undefined: they are not kept. */
  readonly vectors: VectorForm | undefined;
}

/** Who compares vectors: an extension of the database (with its version), or plain SQL. */
export type VectorForm = { readonly by: 'pgvector'; readonly version: string } | { readonly by: 'sql' };

/** What writes need in addition. */
export interface WriteAccess extends Access {
  readonly sql: WriteQueries;
  /** Unix time, micros; constant within the transaction. */
  readonly now: number;
  /** Clock of the store, micros; constant within the transaction. */
  readonly steadyNow: number;
  /** A token that was never used in this database. */
  readonly nextToken: () => string;
  readonly reads: ReadSet;
  /** Says whether this process may judge which workers are dead. */
  readonly judge: Judge;
}

/** Places where a round continues. */
interface Rounds {
  /** Namespace whose ready turn was handed out last. */
  lastServed: string;
  /** Busy session that was checked last. */
  stuckAfter: string;
}
