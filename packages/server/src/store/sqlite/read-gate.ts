import { assert, type Fault } from '../../base/index.ts';
import type { ReadTx } from '../contracts/index.ts';
import type { Access } from './access.ts';
import type { Connection, Statement } from './connection.ts';
import { createReadHandle, type Tables } from './tables/index.ts';
import type { WalSyncer } from './wal-syncer.ts';

/** Newest resource version that is on disk. */
export type DurableVersion = () => number;

/**
 * Reads with a snapshot, one after the other on a connection of their own. A function awaits nothing but its handle, so
 * each is over before the event loop turns; one that is not is ended with an error, and the next continues.
 */
export class SnapshotReads {
  readonly #connection: Connection;
  readonly #syncer: WalSyncer;
  readonly #tables: Tables;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #refusal: Fault | undefined;

  constructor(connection: Connection, tables: Tables, syncer: WalSyncer) {
    this.#connection = connection;
    this.#syncer = syncer;
    this.#tables = tables;
    this.#begin = connection.statement('BEGIN');
    this.#end = connection.statement('COMMIT');
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    // A newcomer may come between the end of one read and the start of the one it woke.
    while (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    let isOpen = true;
    const access: Access<Tables> = {
      connection: this.#connection,
      tables: this.#tables,
      enter: () => assert(isOpen, 'a read handle was used after its function ended'),
      leave: (value) => value,
    };
    let durable: Promise<void> | undefined;
    let hasBegun = false;
    try {
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#begin.run();
      hasBegun = true;
      return await this.#guarded(work, createReadHandle(access));
    } finally {
      isOpen = false;
      if (!this.#syncer.isSynced) durable = this.#syncer.synced();
      this.#pass(hasBegun);
      await durable;
    }
  }

  /** Every later read, and every one that waits, fails with `refusal`. */
  close(refusal: Fault): void {
    this.#refusal = refusal;
  }

  /** Ends the snapshot, unless an error of SQLite did, and lets the next read begin whatever happened to this one. */
  #pass(hasBegun: boolean): void {
    try {
      if (hasBegun && this.#refusal === undefined && this.#connection.isInTransaction) this.#end.run();
    } finally {
      this.#isBusy = false;
      this.#waiting.shift()?.();
    }
  }

  #guarded<T>(work: (tx: ReadTx) => Promise<T>, tx: ReadTx): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stalled = setImmediate(() =>
        reject(new Error('a read function waited for something other than its handle')),
      );
      const done = (): void => clearImmediate(stalled);
      work(tx).then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          reject(error);
        },
      );
    });
  }
}

/**
 * Single reads. The connection keeps its snapshot for the rest of the event-loop turn, or until the next commit, so that
 * many reads of one turn take SQLite's locks once. A read that may have seen a commit not yet synced waits for it.
 */
export class DirectReads implements Access<Tables> {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly #syncer: WalSyncer;
  readonly #durableVersion: DurableVersion;
  readonly #begin: Statement;
  readonly #end: Statement;
  #isOpen = false;
  #isReleaseDue = false;
  #refusal: Fault | undefined;
  #commitSeen = 0;

  constructor(
    connection: Connection,
    options: { readonly tables: Tables; readonly syncer: WalSyncer; readonly durableVersion: DurableVersion },
  ) {
    this.tables = options.tables;
    this.connection = connection;
    this.#syncer = options.syncer;
    this.#durableVersion = options.durableVersion;
    this.#begin = connection.statement('BEGIN');
    this.#end = connection.statement('COMMIT');
  }

  enter(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#isOpen) {
      if (this.#commitSeen === this.#syncer.committed) return;
      this.#release();
    }
    this.#begin.run();
    this.#isOpen = true;
    this.#commitSeen = this.#syncer.committed;
    if (this.#isReleaseDue) return;
    this.#isReleaseDue = true;
    setImmediate(() => {
      this.#isReleaseDue = false;
      this.#release();
    });
  }

  leave<T>(value: T, version?: number): T | Promise<T> {
    if (this.#syncer.isSynced) return value;
    if (version !== undefined && version <= this.#durableVersion()) return value;
    return this.#syncer.synced().then(() => value);
  }

  /** Every later read fails with `refusal`. */
  close(refusal: Fault): void {
    this.#refusal = refusal;
    this.#release();
  }

  /** Gives the snapshot up, so that the log can be truncated; an error of SQLite may have done so already. */
  #release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.connection.isInTransaction) this.#end.run();
  }
}
