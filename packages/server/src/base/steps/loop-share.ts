import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from './steps.ts';

/** The work of one caller. */
interface Job {
  /** Runs one step; true when it was the last. */
  readonly step: () => boolean;
}

/**
 * Runs long work of many callers in the gaps of the event loop: one step of one of them in each turn of the loop, in rotation.
 * With any number of callers, everything else waits for one step at most. A step should take a few milliseconds.
 */
export class LoopShare {
  readonly #jobs: Job[] = [];
  #isRunning = false;

  /** The result of the work after its last step; rejects with what a step throws. */
  run<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const step = (): boolean => {
        try {
          const { done, value } = steps.next();
          if (done === true) resolve(value);
          return done === true;
        } catch (error) {
          reject(error as Error);
          return true;
        }
      };
      this.#jobs.push({ step });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#jobs.length > 0) {
      await nextTurn();
      const job = this.#jobs.shift();
      if (job?.step() === false) this.#jobs.push(job);
    }
    this.#isRunning = false;
  }
}
