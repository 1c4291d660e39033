import { type Transferable, Worker } from 'node:worker_threads';
import type { CancelTimer, Clock } from '../clock.ts';
import { Fault } from '../fault.ts';

/** The thread ends after being idle for this long. */
const IDLE_MS = 5_000;
/** Memory for new values, in MiB: small, so that little garbage is kept from one job. */
const YOUNG_MIB = 16;

/** How a thread is started, and the limits of one job. */
interface WorkThreadOptions {
  /** Module that answers each message of its parent with one message. */
  readonly module: URL;
  readonly clock: Clock;
  /** A job that takes longer is cancelled. */
  readonly limitMs: number;
  /** Memory of the thread, in MiB; contents that are transferred do not count. */
  readonly memoryMib: number;
}

/** What the error of a job says. */
interface WorkWords {
  /** What is processed, as a field of the request. */
  readonly subject: string;
  /** What the caller can do about it. */
  readonly advice: string;
}

/**
 * A thread for work that would block the event loop, started with the first job and ended when idle. It does one job at a
 * time; the others wait. A job that takes too long or too much memory ends the thread and is refused; the next job
 * gets a new one.
 */
export class WorkThread<Work, Answer> {
  readonly #options: WorkThreadOptions;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  readonly #failed = new WeakSet<Worker>();
  #endIdle: CancelTimer = () => undefined;

  constructor(options: WorkThreadOptions) {
    this.#options = options;
  }

  /**
   * The answer of the thread. Memory in `handed` is transferred to the thread and can no longer be used here. RESOURCE_EXHAUSTED TOO_LARGE
   * for a job that needs too much time or memory; other errors of the thread are rethrown.
   */
  run(work: Work, words: WorkWords, handed: readonly Transferable[] = []): Promise<Answer> {
    const answer = this.#last.then(() => this.#ask(work, words, handed));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #ask(work: Work, { subject, advice }: WorkWords, handed: readonly Transferable[]): Promise<Answer> {
    this.#endIdle();
    const worker = this.#started();
    const { clock, limitMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const refuse = (why: string, cause?: unknown): void =>
      reject(new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `${subject}: ${why}; ${advice}`, { cause }));
    const onError = (error: Error): void => {
      if (isExhausted(error)) refuse('it needs too much memory to be read', error);
      else reject(error);
    };
    const cancel = clock.after(limitMs, () => refuse(`not read within ${limitMs / 1_000} s`));
    worker.once('message', resolve);
    worker.once('error', onError);
    try {
      worker.postMessage(work, [...handed]);
      return await promise;
    } catch (error) {
      this.#worker = undefined;
      await worker.terminate();
      throw error;
    } finally {
      cancel();
      worker.off('message', resolve);
      worker.off('error', onError);
      if (this.#worker !== undefined) this.#endIdle = clock.after(IDLE_MS, () => this.#end());
    }
  }

  #started(): Worker {
    if (this.#worker !== undefined && !this.#failed.has(this.#worker)) return this.#worker;
    const { module, memoryMib } = this.#options;
    const worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    // Neither the thread nor its timer keeps a stopped process alive.
    worker.unref();
    // A thread that fails between two jobs must not end the process, as an unhandled error event would.
    worker.on('error', () => this.#failed.add(worker));
    this.#worker = worker;
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

/** True when a thread ran out of memory, and for texts, lists and stacks larger than the engine can hold. */
const isExhausted = (error: Error): boolean =>
  error instanceof RangeError || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');
