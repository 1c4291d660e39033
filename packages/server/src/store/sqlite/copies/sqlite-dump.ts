import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { DumpRow, DumpTable, StoreDump } from '../../contracts/index.ts';
import { storageFault } from '../storage-fault.ts';
import type { CopyOrder } from './copy-worker.ts';

export interface SqliteDumpOptions {
  /** The database; a store may have it open and write. */
  readonly file: string;
  /**
   * Where its copy goes while the dump is open, for its owner only; no one else may use that path. Needs as much room as
   * the database.
   */
  readonly copy: string;
}

/** Rows read in one go; the event loop turns between two goes. */
const BATCH_ROWS = 200;
const APPLIED = 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations';

/**
 * One state of the database: SQLite copies it on a thread of its own, while others write, and rows come from the copy,
 * so that no snapshot keeps the log from being truncated. Fault UNAVAILABLE STORAGE when it cannot be copied.
 */
export const openSqliteDump = async (options: SqliteDumpOptions): Promise<StoreDump> => {
  try {
    // What a process that was killed left here is no one's. SQLite fills a file that is empty, and leaves its mode as it is.
    rmSync(options.copy, { force: true });
    closeSync(openSync(options.copy, 'wx', 0o600));
    await copyDatabase(options);
    return new SqliteDump(options.copy);
  } catch (error) {
    rmSync(options.copy, { force: true });
    throw storageFault('the database could not be copied', error);
  }
};

const copyDatabase = ({ file, copy }: SqliteDumpOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const order: CopyOrder = { file, copy };
    const worker = new Worker(new URL(`./copy-worker${extension}`, import.meta.url), { workerData: order });
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the copying thread ended early')));
  });

class SqliteDump implements StoreDump {
  readonly engine = 'sqlite';
  readonly schema: number;
  readonly #copy: string;
  readonly #database: DatabaseSync;
  #isClosed = false;

  constructor(copy: string) {
    this.#copy = copy;
    this.#database = new DatabaseSync(copy, { readOnly: true });
    this.schema = Number(this.#database.prepare(APPLIED).get()?.['version']);
  }

  async *rows(table: DumpTable): AsyncGenerator<DumpRow> {
    const names = Object.keys(table.columns);
    const sql = `SELECT ${names.join(', ')} FROM ${table.name} ORDER BY ${table.order.join(', ')}`;
    let count = 0;
    for (const row of this.#database.prepare(sql).iterate()) {
      yield row as DumpRow;
      count += 1;
      if (count % BATCH_ROWS === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
    rmSync(this.#copy, { force: true });
  }
}
