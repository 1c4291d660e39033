import type { Clock, Ids, Log, Random } from '../base/index.ts';
import type { ModelRegistry } from '../models/contract.ts';
import type { Bus, FaultPoints, Store } from '../store/contracts/index.ts';
import type { ToolRegistry } from '../tools/contract.ts';
import type {
  AgentDirectory,
  HistoryReader,
  NamespaceGate,
  ObjectAccess,
  PromptAssembler,
  RuntimeConfig,
  SkillSource,
  TurnEndHook,
  TurnMeter,
  TurnTracer,
  UsageMeter,
} from './contract.ts';
import type { DeltaPressure } from './steps/model-call/index.ts';

/** Everything the engine is handed by app; modules name the few members they use with Pick. */
export interface RuntimeDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Whether the process is too busy to send each piece of text by itself. */
  readonly pressure: DeltaPressure;
  readonly ids: Ids;
  readonly random: Random;
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
  /** Absent: there are no skills. */
  readonly skills?: SkillSource;
  readonly endHooks: readonly TurnEndHook[];
  /** Absent: nothing is traced, the caller's trace context is passed on as it came. */
  readonly tracer?: TurnTracer;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
  /** Name of this process in claims; new at every start. */
  readonly workerId: string;
  /** Crash tests end the process at a named point; otherwise does nothing. */
  readonly faultPoint: FaultPoints;
}
