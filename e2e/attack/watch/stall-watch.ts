import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answers } from './asking-thread.ts';

/**
 * Asks `/healthz` of one server every few milliseconds, from a thread and over a connection of its own, so that an attack made
 * by the test does not slow the watch down.
 */
export class StallWatch {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** Resolves once the first answer came. */
  static async start({ url, pid }: { readonly url: string; readonly pid: number }): Promise<StallWatch> {
    const thread = new Worker(new URL('./asking-thread.ts', import.meta.url), {
      workerData: { url: `${url}/healthz`, pid },
    });
    await once(thread, 'message');
    return new StallWatch(thread);
  }

  /** Waits for the answer that is due and tells what was seen. */
  async stop(): Promise<Answers> {
    const told = once(this.#thread, 'message');
    this.#thread.postMessage('stop');
    const [answers] = (await told) as [Answers];
    await this.#thread.terminate();
    return answers;
  }
}
