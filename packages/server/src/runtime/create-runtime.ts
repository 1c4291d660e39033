import type { Presence } from '../store/contracts/index.ts';
import { Sweeper, TurnWorker } from './claim/index.ts';
import type { Admission, LiveTurns, SessionLifecycle } from './contract.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { createAdmission, createSessionLifecycle } from './session/index.ts';
import { TurnRun } from './attempt/index.ts';

export interface Runtime {
  readonly admission: Admission;
  readonly lifecycle: SessionLifecycle;
  readonly live: LiveTurns;
  readonly worker: TurnWorker;
  readonly sweeper: Sweeper;
  /** Claims and sweeps; before that releases the claims of processes that are known to be dead. */
  start(): Promise<void>;
  /** Hands running turns over and stops; turns that do not end in time are released for the next start. */
  stop(): Promise<void>;
}

/** Builds the runtime of one process; nothing runs before `start`. */
export const createRuntime = (deps: RuntimeDeps): Runtime => {
  const worker = new TurnWorker(deps, (claimed, sentMs) => new TurnRun(claimed, sentMs, deps));
  const sweeper = new Sweeper(deps, worker);
  let presence: Presence | undefined;
  return {
    admission: createAdmission(deps),
    lifecycle: createSessionLifecycle(deps),
    live: worker,
    worker,
    sweeper,
    start: async () => {
      // What others took while this process could not be seen, a renewal tells.
      presence = await deps.store.announce(deps.workerId, () => void worker.renew());
      await sweeper.releaseAtStart();
      worker.start();
      sweeper.start();
    },
    stop: async () => {
      await sweeper.close();
      await worker.drain();
      await worker.close();
      deps.pressure.close();
      await presence?.close();
    },
  };
};
