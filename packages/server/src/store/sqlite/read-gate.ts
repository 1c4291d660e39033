import { assert, type Fault } from '../../base/index.ts';
import type { ReadTx } from '../contracts/index.ts';
import type { Connection, Statement } from './connection.ts';
import { type Access, createReadHandle } from './handles/index.ts';
import type { Tables } from './tables/index.ts';
import type { WalSyncer } from './wal-syncer.ts';

/** Newest resource version that is on disk. */
export type DurableVersion = () => number;

/**
 * Reads with a snapshot, one after the other on a connection of their own. A function awaits nothing but its handle, so
 * each is over before the event loop turns; one that is not is ended with an error, and the next goes on.
 */
export class SnapshotReads {
  readonly #syncer: WalSyncer;
  readonly #tables: Tables;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  constructor(connection: Connection, tables: Tables, syncer: WalSyncer) {
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
    const access: Access = {
      tables: this.#tables,
      enter: () => assert(isOpen, 'a read handle was used after its function ended'),
      leave: (value) => value,
    };
    let durable: Promise<void> | undefined;
    try {
      this.#begin.run();
      return await this.#guarded(work, createReadHandle(access));
    } finally {
      isOpen = false;
      if (!this.#syncer.isSynced) durable = this.#syncer.synced();
      this.#end.run();
      this.#isBusy = false;
      this.#waiting.shift()?.();
      await durable;
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
 * many reads of one turn take SQLite's locks once. A read that may have seen a commit not yet synced waits for it (S2).
 */
export class DirectReads implements Access {
  readonly tables: Tables;
  readonly #syncer: WalSyncer;
  readonly #durableVersion: DurableVersion;
  readonly #begin: Statement;
  readonly #end: Statement;
  #isOpen = false;
  #refusal: Fault | undefined;
  #commitSeen = 0;

  constructor(
    connection: Connection,
    options: { readonly tables: Tables; readonly syncer: WalSyncer; readonly durableVersion: DurableVersion },
  ) {
    this.tables = options.tables;
    this.#syncer = options.syncer;
    this.#durableVersion = options.durableVersion;
    this.#begin = connection.statement('BEGIN');
    this.#end = connection.statement('COMMIT');
  }

  enter(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#isOpen) {
      if (this.#commitSeen === this.#syncer.committed) return;
      this.#end.run();
    } else {
      setImmediate(() => this.#release());
      this.#isOpen = true;
    }
    this.#begin.run();
    this.#commitSeen = this.#syncer.committed;
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

  /** Gives the snapshot up, so that the log can be truncated. */
  #release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#end.run();
  }
}
