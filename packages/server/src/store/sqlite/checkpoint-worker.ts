import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type CheckpointMode = 'PASSIVE' | 'TRUNCATE';

export interface CheckpointAnswer {
  /** Frames in the log afterwards. */
  readonly logFrames: number;
  readonly error?: string;
  /** An I/O error: the sync of the log or of the database may have failed. */
  readonly isFatal?: boolean;
}

/** Primary result code of every I/O error. */
const IO_ERROR = 10;
/** A TRUNCATE waits this long for readers; they hold a snapshot for one event-loop turn. */
const READER_WAIT_MS = 200;

const database = new DatabaseSync(String(workerData), { timeout: READER_WAIT_MS });
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');

const checkpoint = (mode: CheckpointMode): CheckpointAnswer => {
  try {
    const row = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const logFrames = Number(row?.['log'] ?? 0);
    return row?.['busy'] === 1 && mode === 'TRUNCATE' ? { logFrames, error: 'busy' } : { logFrames };
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    return { logFrames: 0, error: String(error), isFatal: (code & 0xff) === IO_ERROR };
  }
};

parentPort?.on('message', (mode: CheckpointMode) => parentPort?.postMessage(checkpoint(mode)));
