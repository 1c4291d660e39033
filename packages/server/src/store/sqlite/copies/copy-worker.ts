import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Which database, and the path of the copy; nothing or an empty file may be there. */
export interface CopyOrder {
  readonly file: string;
  readonly copy: string;
}

/** Waits this long for a foreign program that holds the database. */
const BUSY_MS = 5_000;

const { file, copy } = workerData as CopyOrder;
const database = new DatabaseSync(file, { timeout: BUSY_MS });
try {
  database.prepare('VACUUM INTO ?').run(copy);
} finally {
  database.close();
}
parentPort?.postMessage('copied');
