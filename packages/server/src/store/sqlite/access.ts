import type { Connection } from './connection.ts';

/**
 * What a handle's reads need: a connection, and when a result may be shown: once what it saw is on disk. `Tables`: statements that
 * stay with the connection, for the handles that use them.
 */
export interface Access<Tables = unknown> {
  readonly connection: Connection;
  readonly tables: Tables;
  /** Before a read; throws when the transaction has ended. */
  enter(): void;
  /** After a read. `version`: the value is one resource row of that version, and depends on nothing newer. */
  leave<T>(value: T, version?: number): T | Promise<T>;
}

/** What a handle's writes need in addition. */
export interface WriteAccess<Tables = unknown> extends Access<Tables> {
  /** Unix time, constant within the transaction. */
  readonly now: number;
  /** Clock of the store, constant within the transaction. */
  readonly steadyNow: number;
  /** A token that was never used in this database. */
  readonly nextToken: () => string;
  /** Before a write: as `enter`, and notes that the group has something to sync. */
  change(): void;
}
