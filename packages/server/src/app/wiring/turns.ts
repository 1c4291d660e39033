import { Fault } from '../../base/index.ts';
import { StoredObjects } from '../../features/files/index.ts';
import type { NamespaceTurns } from '../../features/namespaces/index.ts';
import { createUngovernedMeter } from '../../features/usage/index.ts';
import { createModelRegistry, type ModelRegistry } from '../../models/index.ts';
import { createHistoryReader } from '../../runtime/history/index.ts';
import {
  type AgentDirectory,
  createRuntime,
  type NamespaceGate,
  PART,
  type Part,
  type Runtime,
  type TurnEndHook,
} from '../../runtime/index.ts';
import { createPromptAssembler, createSessionGoals } from '../../runtime/prompt/index.ts';
import { CursorCodec, createAnswerCursors, StreamRegistry } from '../../runtime/stream/index.ts';
import type { Store, WriteTx } from '../../store/contracts/index.ts';
import {
  calculateTool,
  createGoalTools,
  createReadToolOutput,
  createToolRegistry,
  currentTimeTool,
  type ToolOutputReader,
  type ToolRegistry,
} from '../../tools/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from './engines.ts';

/** Most turns a tombstone looks at; what is left is stopped by the next claim's check. */
const STOP_ROWS = 100_000;

/** Model providers as configured; keys behind `secret://` come with the Secret kind. */
export const wireModels = (config: Config, engines: Engines): ModelRegistry =>
  createModelRegistry({
    config: config.models,
    clock: engines.clock,
    random: engines.random,
    log: engines.log,
    environment: engines.environment,
    secrets: (namespace, reference) =>
      Promise.reject(
        new Fault(
          'FAILED_PRECONDITION',
          'SECRET_NOT_FOUND',
          `no secret ${reference} is visible in namespace ${namespace}`,
          { metadata: { ns: namespace, reference } },
        ),
      ),
  });

/** Whole text of a stored tool result of the session: inline, or from its object (RT-R39). */
const toolOutputs = (store: Store, objects: StoredObjects): ToolOutputReader => {
  const isResult = (callId: string) => (part: Part) =>
    part.type === PART.TOOL_RESULT && part.payload?.['tool_call_id'] === callId;
  return async ({ namespace, sessionId, turnId }, callId) => {
    const part = await store.read(async (tx) => {
      for (const row of await tx.log.journal(turnId)) {
        const entry = JSON.parse(row.body) as { readonly part?: Part };
        if (entry.part !== undefined && isResult(callId)(entry.part)) return entry.part;
      }
      let before: string | undefined;
      for (;;) {
        const page = await tx.log.messagesBefore(sessionId, before, 100);
        for (const row of page) {
          const found = row.parts.includes(callId)
            ? (JSON.parse(row.parts) as Part[]).find(isResult(callId))
            : undefined;
          if (found !== undefined) return found;
        }
        before = page.at(-1)?.id;
        if (page.length < 100) return undefined;
      }
    });
    if (part === undefined) return undefined;
    if (part.object === undefined) return part.content;
    const bytes = await objects.read(namespace, part.object);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  };
};

export const wireTools = (config: Config, engines: Engines, objects: StoredObjects): ToolRegistry =>
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
  readonly endHooks: readonly TurnEndHook[];
}

/** Turn engine, object access, streams. */
export const wireTurns = (needs: TurnNeeds) => {
  const { config, engines, models, agents, namespaces, endHooks } = needs;
  const { store, bus, clock, ids, random, log, faultPoint } = engines;
  const objects = new StoredObjects({ blobs: engines.blobs, clock });
  const tools = wireTools(config, engines, objects);
  const runtime = createRuntime({
    store,
    bus,
    clock,
    ids,
    random,
    log,
    config: config.runtime,
    models,
    tools,
    agents,
    namespaces,
    usage: createUngovernedMeter(),
    objects,
    history: createHistoryReader(),
    prompts: createPromptAssembler({ models, readObject: (namespace, object) => objects.read(namespace, object) }),
    endHooks,
    workerId: ids.next(),
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
  });
  return { runtime, objects, tools, streams, cursors: createAnswerCursors(new CursorCodec(store.epoch)) };
};

/** Stops what a tombstoned namespace runs; its queued turns wait (PL-3). The runtime is looked up late: it needs the namespaces. */
export const namespaceTurns = (runtime: () => Runtime): NamespaceTurns => ({
  stopNamespace: async (tx: WriteTx, namespace: string) => {
    const started = [
      ...(await tx.log.claimedTurns(undefined, STOP_ROWS)),
      ...(await tx.log.dueParks(Number.MAX_SAFE_INTEGER, STOP_ROWS)),
    ];
    for (const turn of started) {
      if (turn.namespace !== namespace) continue;
      const session = await tx.log.lockSession(turn.sessionId);
      if (session !== undefined) await runtime().lifecycle.stop(tx, session, turn.id);
    }
  },
});
