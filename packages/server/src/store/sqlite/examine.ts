import { Worker } from 'node:worker_threads';
import { loadMigrations } from '../migrations/index.ts';
import type { ExaminationAnswer } from './examine-worker.ts';

/** Findings about the database file of a running store. */
export interface StoreExamination extends ExaminationAnswer {
  /** Newest migration that this release knows. */
  readonly known: number;
}

/**
 * Reads the whole file on a thread of its own, so that calls continue meanwhile. Ends early when the signal aborts; rejects
 * then, and when the file cannot be opened.
 */
export const examineSqlite = (file: string, signal: AbortSignal): Promise<StoreExamination> =>
  new Promise((resolve, reject) => {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const worker = new Worker(new URL(`./examine-worker${extension}`, import.meta.url), { workerData: file });
    const stop = (): void => {
      reject(new Error('the examination was ended before it was through'));
      worker.terminate().catch(reject);
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (answer: ExaminationAnswer) => {
      signal.removeEventListener('abort', stop);
      resolve({ ...answer, known: loadMigrations('sqlite').at(-1)?.version ?? 0 });
    });
    worker.once('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
  });
