import { StoredObjects } from '../../features/authoring/files/index.ts';
import type { NamespaceTurns } from '../../features/authoring/namespaces/index.ts';
import type { SecretResolver } from '../../features/authoring/secrets/index.ts';
import { createModelRegistry, type ModelRegistry, type ModelRegistryOptions } from '../../models/index.ts';
import type { UsageMeter } from '../../runtime/contract.ts';
import { createHistoryReader } from '../../runtime/history/index.ts';
import {
  type AgentDirectory,
  createRuntime,
  DeltaPressure,
  type NamespaceGate,
  type Runtime,
  type SkillSource,
  type TurnEndHook,
  type TurnMeter,
  type TurnTracer,
} from '../../runtime/index.ts';
import { createPromptAssembler } from '../../runtime/prompt/index.ts';
import { createSessionGoals } from '../../runtime/session/index.ts';
import { CursorCodec, createAnswerCursors, StreamRegistry } from '../../runtime/stream/index.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import {
  calculateTool,
  createGoalTools,
  createReadToolOutput,
  createToolRegistry,
  currentTimeTool,
  type ToolRegistry,
} from '../../tools/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from './engines.ts';
import { toolOutputs } from './tool-outputs.ts';

/** Most turns a tombstone looks at; what is left is stopped by the next claim's check. */
const STOP_ROWS = 100_000;

/** Model providers as configured; keys behind `secret://` may also live in `system`. */
export const wireModels = (
  config: Config,
  engines: Engines,
  {
    secrets,
    onRetry,
  }: { readonly secrets: SecretResolver; readonly onRetry: NonNullable<ModelRegistryOptions['onRetry']> },
): ModelRegistry =>
  createModelRegistry({
    config: config.models,
    clock: engines.clock,
    random: engines.random,
    log: engines.log,
    environment: engines.environment,
    onRetry,
    secrets: (namespace, reference) => secrets.resolve(namespace, reference, { isProviderKey: true }),
  });

const wireTools = (config: Config, engines: Engines, objects: StoredObjects): ToolRegistry =>
  createToolRegistry({
    tools: [
      currentTimeTool,
      calculateTool,
      createReadToolOutput(toolOutputs(engines.store, objects)),
      ...createGoalTools(createSessionGoals(engines.store)),
    ],
    switches: config.settings['capabilities'] as Parameters<typeof createToolRegistry>[0]['switches'] & object,
  });

export interface TurnNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly models: ModelRegistry;
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate;
  readonly skills: SkillSource;
  readonly endHooks: readonly TurnEndHook[];
  readonly tracer: TurnTracer;
  readonly meter: TurnMeter;
  readonly usage: UsageMeter;
  /** Id under which this process claims. */
  readonly workerId: string;
}

/** Turn engine, object access, streams. */
export const wireTurns = (needs: TurnNeeds) => {
  const { config, engines, models, agents, namespaces, skills, endHooks, tracer, meter, workerId } = needs;
  const { store, bus, clock, ids, random, log, faultPoint } = engines;
  const objects = new StoredObjects({ store: engines.store, blobs: engines.blobs, clock });
  const tools = wireTools(config, engines, objects);
  const runtime = createRuntime({
    store,
    bus,
    clock,
    pressure: new DeltaPressure(clock),
    ids,
    random,
    log,
    config: config.runtime,
    models,
    tools,
    agents,
    namespaces,
    usage: needs.usage,
    objects,
    history: createHistoryReader(),
    prompts: createPromptAssembler({ models, readObject: (namespace, object) => objects.read(namespace, object) }),
    skills,
    endHooks,
    tracer,
    meter,
    workerId,
    faultPoint,
  });
  const streams = new StreamRegistry({
    store,
    bus,
    clock,
    log,
    liveTurns: runtime.live,
    limits: {
      events: config.settings['limits.streamBufferEvents'],
      bytes: config.settings['limits.streamBufferBytes'],
    },
    historySeconds: config.runtime.historySeconds,
    isShared: config.store.engine !== 'sqlite',
    untilDoneIdleMs: config.settings['streams.untilDoneIdleSeconds'],
  });
  return { runtime, objects, tools, streams, cursors: createAnswerCursors(new CursorCodec(store.epoch)) };
};

export type TurnParts = ReturnType<typeof wireTurns>;

/** Stops what tombstoned namespaces run; their queued turns wait. The runtime is looked up late: it needs the namespaces. */
export const namespaceTurns = (runtime: () => Runtime): NamespaceTurns => ({
  stopNamespaces: async (tx: WriteTx, namespaces: ReadonlySet<string>) => {
    const started = [
      ...(await tx.log.claimedTurns(undefined, STOP_ROWS)),
      ...(await tx.log.dueParks(Number.MAX_SAFE_INTEGER, STOP_ROWS)),
    ];
    for (const turn of started) {
      if (!namespaces.has(turn.namespace)) continue;
      const session = await tx.log.lockSession(turn.sessionId);
      if (session !== undefined) await runtime().lifecycle.stop(tx, session, turn.id);
    }
  },
});
