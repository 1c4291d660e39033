import type { Clock, Ids, Log } from '../base/index.ts';
import type { ModelRegistry } from '../models/contract.ts';
import type { Bus, FaultPoints, Presence, Store } from '../store/contracts/index.ts';
import type { ToolRegistry } from '../tools/contract.ts';
import { Attempt } from './attempt/index.ts';
import { Sweeper, TurnWorker } from './claim/index.ts';
import type {
  Admission,
  AgentDirectory,
  CallWakes,
  Harnesses,
  HistoryReader,
  LiveTurns,
  NamespaceGate,
  ObjectAccess,
  PromptAssembler,
  RuntimeConfig,
  SessionLifecycle,
  SkillSource,
  ToolTries,
  TurnEndHook,
  TurnMeter,
  TurnProgressHook,
  TurnTracer,
  UsageMeter,
} from './contract.ts';
import { createAdmission, createCallWakes, createSessionLifecycle, createSourceKeeper } from './session/index.ts';
import { createSteps, type DeltaPressure } from './steps/index.ts';
import { createToolTries } from './tool-tries/index.ts';

/** Everything the engine is handed by app; each part declares the few members that it uses. */
export interface RuntimeDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Whether the process is too busy to send each piece of text by itself. */
  readonly pressure: DeltaPressure;
  readonly ids: Ids;
  readonly log: Log;
  readonly config: RuntimeConfig;
  readonly models: ModelRegistry;
  readonly tools: ToolRegistry;
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate;
  readonly usage: UsageMeter;
  readonly objects: ObjectAccess;
  readonly history: HistoryReader;
  readonly prompts: PromptAssembler;
  /** Absent: agents with an external runtime are not ready. */
  readonly harnesses?: Harnesses;
  /** Absent: there are no skills. */
  readonly skills?: SkillSource;
  readonly endHooks: readonly TurnEndHook[];
  /** Absent: nothing follows turns that begin and wait. */
  readonly progressHooks?: readonly TurnProgressHook[];
  /** Absent: nothing is traced, the caller's trace context is passed on as it came. */
  readonly tracer?: TurnTracer;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
  /** Name of this process in claims; new at every start. */
  readonly workerId: string;
  /** Crash tests end the process at a named point; otherwise does nothing. */
  readonly faultPoint: FaultPoints;
}

export interface Runtime {
  readonly admission: Admission;
  readonly lifecycle: SessionLifecycle;
  readonly wakes: CallWakes;
  readonly live: LiveTurns;
  readonly tries: ToolTries;
  readonly worker: TurnWorker;
  readonly sweeper: Sweeper;
  /** Claims and sweeps; before that releases the claims of processes that are known to be dead. */
  start(): Promise<void>;
  /** Hands running turns over and stops; turns that do not end in time are released for the next start. */
  stop(): Promise<void>;
}

/** Builds the runtime of one process; nothing runs before `start`. */
export const createRuntime = (deps: RuntimeDeps): Runtime => {
  const ports = { ...deps, keepSources: createSourceKeeper() };
  const steps = createSteps(ports);
  const worker = new TurnWorker(deps, (claimed, sentMs) => new Attempt(claimed, sentMs, { ports, steps }));
  const sweeper = new Sweeper(deps, worker);
  let presence: Presence | undefined;
  return {
    admission: createAdmission(deps),
    lifecycle: createSessionLifecycle(deps),
    wakes: createCallWakes(deps),
    live: worker,
    tries: createToolTries(deps),
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
