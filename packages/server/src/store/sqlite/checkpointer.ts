import { Worker } from 'node:worker_threads';
import type { Log } from '../../base/index.ts';
import type { CheckpointAnswer, CheckpointMode } from './checkpoint-worker.ts';
import type { Connection, Statement } from './connection.ts';

/**
 * Log that is not in the database yet, from which a PASSIVE checkpoint runs. The pages of indexes change again and again: from
 * 4 MiB on, a message cost 20 KB of log and database, from 16 MiB on 16 KB, and half the processor time of the checkpoint thread.
 */
const PASSIVE_BYTES = 16 * 1024 * 1024;
/** Log size from which, after a PASSIVE one, the write queue pauses for a TRUNCATE. */
const TRUNCATE_BYTES = 64 * 1024 * 1024;
/** Size of a frame: one page and its header. */
const FRAME_BYTES = 4096 + 24;

export interface CheckpointerOptions {
  readonly file: string;
  /** The writing connection; only its log's size is asked. */
  readonly connection: Connection;
  readonly log: Log;
  readonly pausedWhile: (work: () => Promise<void>) => Promise<void>;
  /** A checkpoint that failed to sync or to write: what reached the disk is unknown. */
  readonly fatal: (error: unknown) => void;
  readonly passiveBytes?: number;
  readonly truncateBytes?: number;
}

/** Moves the log into the database on a thread of its own, started when the log first grows past the limit. */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #size: Statement<{ log: number; checkpointed: number }>;
  #worker: Worker | undefined;
  #answer: ((answer: CheckpointAnswer) => void) | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  readonly #passiveBytes: number;
  readonly #truncateBytes: number;
  #truncateAtBytes: number;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#passiveBytes = options.passiveBytes ?? PASSIVE_BYTES;
    this.#truncateBytes = options.truncateBytes ?? TRUNCATE_BYTES;
    this.#truncateAtBytes = this.#truncateBytes;
    this.#size = options.connection.statement('PRAGMA wal_checkpoint(NOOP)');
  }

  /** After each commit of a group. */
  noteCommit(): void {
    if (this.#running !== undefined || this.#isClosed || !this.#isDue()) return;
    this.#running = this.#checkpoint().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#worker?.terminate();
  }

  /** A commit must not fail because the size of the log is not known. */
  #isDue(): boolean {
    try {
      const size = this.#size.get();
      if (size === undefined) return false;
      const waitingBytes = (size.log - size.checkpointed) * FRAME_BYTES;
      return waitingBytes >= this.#passiveBytes || size.log * FRAME_BYTES >= this.#truncateAtBytes;
    } catch (error) {
      this.#options.log.error('cannot read the size of the log', {}, error);
      return false;
    }
  }

  async #checkpoint(): Promise<void> {
    const passive = await this.#ask('PASSIVE');
    if (passive.error !== undefined) return this.#failed(passive);
    const logBytes = passive.logFrames * FRAME_BYTES;
    if (logBytes < this.#truncateAtBytes) return;
    await this.#options.pausedWhile(async () => {
      const truncated = await this.#ask('TRUNCATE');
      // A reader that does not end (a foreign program) must not stop the writes again and again.
      this.#truncateAtBytes = this.#truncateBytes + (truncated.error === undefined ? 0 : logBytes);
      if (truncated.error !== undefined) this.#failed(truncated);
    });
  }

  #failed(answer: CheckpointAnswer): void {
    if (answer.isFatal) this.#options.fatal(new Error(`checkpoint failed: ${answer.error ?? ''}`));
    else this.#options.log.warn('a checkpoint did not finish; it is tried again', { reason: answer.error });
  }

  #ask(mode: CheckpointMode): Promise<CheckpointAnswer> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#worker ??= this.#start();
      this.#worker.postMessage(mode);
    });
  }

  #start(): Worker {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const worker = new Worker(new URL(`./checkpoint-worker${extension}`, import.meta.url), {
      workerData: this.#options.file,
    });
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.#answer?.(answer));
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#answer?.({ logFrames: 0, error: String(error), isFatal: false });
    });
    return worker;
  }
}
