import { RESEAL } from '../../controllers/index.ts';
import { htmlText, StoredObjects } from '../../features/authoring/files/index.ts';
import { secretsModule } from '../../features/authoring/secrets/index.ts';
import { skillsModule } from '../../features/authoring/skills/index.ts';
import { agentsModule } from '../../features/conversation/agents/index.ts';
import { usageModule } from '../../features/conversation/usage/index.ts';
import { createTaskPushHook } from '../../features/coordination/agent-protocol/index.ts';
import { createChannelHook, routeOfSession } from '../../features/coordination/channels/index.ts';
import { deliveryTurns } from '../../features/coordination/connectors/index.ts';
import { createDelegationHook } from '../../features/coordination/delegation/index.ts';
import { createScheduleHook } from '../../features/coordination/schedules/index.ts';
import { taskTurns } from '../../features/coordination/tasks/index.ts';
import { createWorkflowHook } from '../../features/coordination/workflows/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import { createModelRegistry } from '../../models/index.ts';
import type { ObjectAccess } from '../../runtime/contract.ts';
import { createHistoryReader, toolOutputs } from '../../runtime/history/index.ts';
import { createRuntime, DeltaPressure, HarnessSlot } from '../../runtime/index.ts';
import { createStepInspector } from '../../runtime/inspection/index.ts';
import { createPromptAssembler, promptCheck } from '../../runtime/prompt/index.ts';
import { createSessionGoals, createSessionSkills } from '../../runtime/session/index.ts';
import { createActivityHook, createStreams } from '../../runtime/stream/index.ts';
import {
  askUserTool,
  type CapabilitySwitches,
  calculateTool,
  capabilityProblems,
  createGoalTools,
  createReadToolOutput,
  createToolRegistry,
  currentTimeTool,
} from '../../tools/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from '../engines/index.ts';
import { researchOutbound } from '../outbound/index.ts';
import type { Observation } from '../telemetry/index.ts';
import type { Host } from './host.ts';

interface TurnNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly host: Host;
  readonly observation: Observation;
}

/** The features that turns are run with, then the turn engine and its streams. */
export const wireTurns = ({ config, engines, host, observation }: TurnNeeds) => {
  const { settings, store, bus, blobs, clock, ids, random, log } = host;
  const { metrics, tracer, turnHook } = observation;
  const { secretKeys, environment, faultPoint } = engines;
  const secrets = secretsModule({ ...host, keys: secretKeys, lineage: host.visibleNamespaces, resealKind: RESEAL });
  const models = createModelRegistry({
    config: config.models,
    clock,
    random,
    log,
    environment,
    onRetry: metrics.retried,
    onEmbed: metrics.embedded,
    // Keys of providers may also live in `system`.
    secrets: (namespace, reference) => secrets.resolver.resolve(namespace, reference, { isProviderKey: true }),
  });
  const workerId = ids.next();
  const objects = new StoredObjects({ store, blobs, clock });
  const tools = createToolRegistry({
    tools: [
      currentTimeTool,
      calculateTool,
      askUserTool,
      createReadToolOutput(toolOutputs(store, objects)),
      ...createGoalTools(createSessionGoals(store)),
      ...researchOutbound(settings, htmlText),
    ],
    switches: settings['capabilities'] as CapabilitySwitches,
    log,
  });
  const dependencies = { models, capabilityProblems, isToolsetAvailable: (name: string) => tools.hasToolset(name) };
  const agents = agentsModule({ ...host, dependencies, promptCheck });
  const skills = skillsModule({ ...host, book: createSessionSkills(store) });
  const usage = usageModule({ ...host, refused: metrics.usageRefused, isPriced: (model) => models.isPriced(model) });
  const [tasks, pushes] = [taskTurns(host), createTaskPushHook(host)];
  const deliveries = deliveryTurns({ ...host, objects, channelTrigger: routeOfSession });
  const activity = createActivityHook(bus);
  const { steps, ...prompting } = wirePrompts(host, models, objects);
  const harnesses = new HarnessSlot();
  const runtime = createRuntime({
    ...host,
    pressure: new DeltaPressure(clock),
    config: config.runtime,
    models,
    tools,
    agents: agents.directory,
    usage: usage.meter,
    objects,
    ...prompting,
    skills: skills.directory,
    harnesses,
    endHooks: [turnHook, tasks, pushes, deliveries, activity, ...featureHooks(bus)],
    progressHooks: [tasks, pushes, deliveries, activity],
    tracer,
    meter: metrics.meter,
    workerId,
    faultPoint,
  });
  const isShared = config.store.engine !== 'sqlite';
  const streams = createStreams({ ...host, ...config.runtime, liveTurns: runtime.live, isShared });
  const features = { secrets, agents, skills, usage, deliveries };
  return { models, tools, workerId, objects, runtime, harnesses, steps, ...features, ...streams };
};

/** What models are sent, and what is rebuilt of it. */
const wirePrompts = ({ store }: Host, models: ModelRegistry, objects: Pick<ObjectAccess, 'read'>) => {
  const history = createHistoryReader();
  const readObject: ObjectAccess['read'] = (namespace, object) => objects.read(namespace, object);
  const prompts = createPromptAssembler({ models, readObject });
  return { history, prompts, steps: createStepInspector({ store, models, history, readObject }) };
};

/** What features do when a turn ends. */
const featureHooks = (bus: Host['bus']) =>
  [createDelegationHook, createScheduleHook, createChannelHook, createWorkflowHook].map((create) => create(bus));

export type Turns = ReturnType<typeof wireTurns>;
