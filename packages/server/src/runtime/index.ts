/**
 * runtime: durable execution of turns. It owns admission (the only way in for work), the worker that claims and
 * runs turns, their journal, steps, tools and permission questions, session lifecycle, streams and the sweeper. It does not own
 * HTTP, resources or engines: agents, namespaces, usage and objects are interfaces that app satisfies. Features see its
 * contract files only (sessions admit with them); app makes, starts and stops it.
 */

import type { Presence } from '../store/contracts/index.ts';
import { createAdmission } from './admission.ts';
import type { Admission, LiveTurns, SessionLifecycle } from './contract.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { createSessionLifecycle } from './session/index.ts';
import { Sweeper } from './sweeper.ts';
import { TurnWorker } from './turn-worker.ts';

export * from './contract.ts';
export type { RuntimeDeps, TurnEndHook } from './runtime-deps.ts';
export { DeltaPressure } from './step/index.ts';

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
  const worker = new TurnWorker(deps);
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
