import type { DumpTable } from './dump-table.ts';

/** One row: a value for each column of its table, null where the column is empty (`search_chunks.words`). */
export type DumpRow = Readonly<Record<string, string | number | null>>;

/** A store's whole contents in one consistent state, whatever is written meanwhile. The caller closes it. */
export interface StoreDump {
  /** Name of the engine, such as `sqlite`. */
  readonly engine: string;
  /** Newest migration of that engine that was applied. */
  readonly schema: number;
  /** Rows of one of DUMP_TABLES in its order, read as they are asked for. */
  rows(table: DumpTable): AsyncIterable<DumpRow>;
  close(): Promise<void>;
}

/**
 * Fills an empty store. Nothing of it can be seen before `finish`; a load that was neither finished nor abandoned (the
 * process ended) leaves an empty store, or nothing.
 */
export interface StoreLoad {
  /**
   * Adds rows, in the order of DUMP_TABLES and of each table. Columns that the rows lack take their defaults: a dump of an
   * earlier release has fewer. Columns the table lacks are refused.
   */
  insert(table: DumpTable, rows: readonly DumpRow[]): Promise<void>;
  /** Builds what is derived, moves counters behind what was loaded, and makes everything durable and visible at once. */
  finish(): Promise<void>;
  /** Forgets everything that was inserted; allowed after a failure of the other two, harmless after `finish`. */
  abandon(): Promise<void>;
}

/** Names in `instance` that a dump and a restore know. */
export const INSTANCE_EPOCH = 'epoch';
/** Store-clock micros of the newest backup that was written whole; migrations that remove something ask for it. */
export const INSTANCE_LAST_BACKUP = 'backup.last';
/** A keyed hash that names the key which encrypts secrets, where several nodes must have the same one. */
export const INSTANCE_SECRET_KEY = 'secrets.key';
/** The sealed private key that signs tokens; a backup tells it to no other instance. */
export const INSTANCE_TOKEN_KEY = 'token-key';
/** There while a restore into a database is not complete outside of it: a word that its data directory knows too. */
export const INSTANCE_RESTORE = 'restore';
