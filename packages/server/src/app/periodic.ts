import type { CancelTimer, Clock, Log } from '../base/index.ts';
import type { PeriodicJob } from '../features/module-contract.ts';

/** Runs jobs again and again, no job twice at a time; a failing run is logged and tried at its next time. */
export class PeriodicJobs {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timers = new Map<string, CancelTimer>();
  #isClosed = false;

  constructor(deps: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  start(jobs: readonly PeriodicJob[]): void {
    for (const job of jobs) this.#arm(job);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #arm(job: PeriodicJob): void {
    if (this.#isClosed) return;
    this.#timers.set(
      job.name,
      this.#clock.after(job.everyMs, () => this.#run(job)),
    );
  }

  #run(job: PeriodicJob): void {
    // A tick that throws before it returns a promise fails like any other.
    Promise.try(() => job.tick()).then(
      () => this.#arm(job),
      (error: unknown) => {
        this.#log.warn('a periodic job failed', {
          job: job.name,
          reason: error instanceof Error ? error.message : 'unknown',
        });
        this.#arm(job);
      },
    );
  }
}
