import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** What the file says about itself. */
export interface ExaminationAnswer {
  /** Newest migration that was applied. */
  readonly schema: number;
  /** What `PRAGMA quick_check` complained about; empty = sound. */
  readonly problems: readonly string[];
}

const PROBLEMS_MAX = 10;

const examine = (file: string): ExaminationAnswer => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare(`PRAGMA quick_check(${PROBLEMS_MAX})`).all();
    const lines = rows.map((row) => String(row['quick_check']));
    const newest = database.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_migrations').get();
    return { schema: Number(newest?.['version'] ?? 0), problems: lines.filter((line) => line !== 'ok') };
  } catch (error) {
    return { schema: 0, problems: [error instanceof Error ? error.message : String(error)] };
  } finally {
    database.close();
  }
};

parentPort?.postMessage(examine(String(workerData)));
