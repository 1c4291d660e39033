import {
  type KindContract,
  type QueueWorker,
  RESEAL,
  RESOURCES_CHANGED,
  type Reconciler,
  ResealWorker,
  type ResourceWriter,
  statusReconciler,
} from '../../controllers/index.ts';
import { SEALED_LINK_KEY } from '../../features/authoring/files/index.ts';
import { NamespaceDirectory } from '../../features/authoring/namespaces/index.ts';
import { SecretResolver, secretContract, secretOperations } from '../../features/authoring/secrets/index.ts';
import {
  PolicyIndex,
  PolicyMeter,
  UsageConditions,
  usageActivity,
  usagePolicyContract,
} from '../../features/conversation/usage/index.ts';
import { connectorClassContract, connectorContract } from '../../features/coordination/connectors/index.ts';
import {
  type StopExecution,
  TaskTimer,
  type TaskTimes,
  taskContract,
  taskOperations,
} from '../../features/coordination/tasks/index.ts';
import { toolGrant, workflowContract } from '../../features/coordination/workflows/index.ts';
import { SEALED_TOKEN_KEY } from '../../features/platform/access/index.ts';
import { sandboxContracts } from '../../features/platform/sandboxes/index.ts';
import {
  HEARTBEAT_MS,
  WorkerRegistration,
  WorkerWatch,
  workerContract,
  workerOperations,
} from '../../features/platform/workers/index.ts';
import type { Operation } from '../../operations/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { earlierNow } from '../../store/contracts/index.ts';
import { type Config, connectorVariables } from '../config/index.ts';
import type { PeriodicJob } from '../periodic.ts';
import type { Engines } from './engines.ts';
import type { AppParts } from './operations.ts';

/** Values behind `secret://` for everything that uses them. */
export const wireSecrets = ({ store, secretKeys }: Engines): SecretResolver => {
  const directory = new NamespaceDirectory();
  return new SecretResolver({
    store,
    seal: secretKeys.ring,
    lineage: async (reads, namespace) => {
      const state = await directory.find(reads, namespace);
      return state === undefined || state.isDeleted ? [] : [namespace, ...state.ancestors];
    },
  });
};

const taskTimes = ({ settings }: Config): TaskTimes => ({
  lifetimeMicros: settings['tasks.lifetime'] * 1_000,
  retentionMicros: settings['tasks.retention'] * 1_000,
});

/** Ends the turns of the session that works on a task. */
const stopExecution =
  (runtime: () => Runtime): StopExecution =>
  async (tx, status) => {
    const session = await tx.log.lockSession(status.executionRef?.sessionId ?? '');
    if (session !== undefined) await runtime().lifecycle.stop(tx, session, '');
  };

export interface PlatformNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly secrets: SecretResolver;
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly runtime: () => Runtime;
  readonly writer: () => ResourceWriter;
  /** Id under which this process claims, and the name of its Worker record. */
  readonly workerId: string;
  /** Hears the metric of each reservation that a usage policy refuses. */
  readonly usageRefused: (metric: string) => void;
}

/** The record of this process and the watch over those of others. */
const wireWorkers = ({ config, engines, runtime, writer, workerId }: PlatformNeeds) => {
  const { store, clock } = engines;
  const registration = new WorkerRegistration({
    store,
    clock,
    writer,
    workerId,
    version: config.transport.version,
    endpoints: (config.settings['worker.endpoints'] ?? [{ url: config.publicUrl }]).map(
      ({ url = '', protocol = 'http', audience = '' }: { url?: string; protocol?: string; audience?: string }) => ({
        url,
        protocol,
        audience,
      }),
    ),
    isBusReachable: () => true,
    drain: () => runtime().worker.drain(),
  });
  const watch = new WorkerWatch({ store, writer });
  const jobs: readonly PeriodicJob[] = [
    { name: 'worker-heartbeat', everyMs: HEARTBEAT_MS, tick: () => registration.heartbeat() },
    { name: 'worker-watch', everyMs: HEARTBEAT_MS, tick: () => watch.tick() },
  ];
  return { registration, jobs };
};

const MICROS_PER_MS = 1_000;
const USAGE_CONDITIONS_MS = 30_000;
const USAGE_TRIM_MS = 3_600_000;
const USAGE_TRIM_ROWS = 5_000;

/** Policies, the meter that holds work to them, and what their readers see. */
const wireUsage = ({ config, engines, ancestorsOf, writer, usageRefused }: PlatformNeeds) => {
  const { store } = engines;
  const { settings } = config;
  const policies = new PolicyIndex(ancestorsOf);
  const meter = new PolicyMeter(policies, usageRefused);
  const facts = { now: () => store.now() };
  const conditions = new UsageConditions({ ...facts, store, writer, alertPercent: settings['usage.alertPercent'] });
  const kept = settings['retention.usage'] * MICROS_PER_MS;
  const trim = async (): Promise<void> => {
    if (kept === 0) return;
    const before = earlierNow(store) - Math.max(kept, policies.longestWindowMicros());
    await store.write((tx) => tx.counters.trim(before, USAGE_TRIM_ROWS));
  };
  const jobs: readonly PeriodicJob[] = [
    { name: 'usage-conditions', everyMs: USAGE_CONDITIONS_MS, tick: () => conditions.tick() },
    { name: 'usage-trim', everyMs: USAGE_TRIM_MS, tick: trim },
  ];
  return { policies, meter, jobs, usageFacts: usageActivity(facts) };
};

/** The kinds of this part, and what keeps their statuses true and their deadlines kept. */
export const wirePlatform = (needs: PlatformNeeds) => {
  const { config, engines, ancestorsOf } = needs;
  const { settings } = config;
  const seal = engines.secretKeys.ring;
  const secretProblem = needs.secrets.problem.bind(needs.secrets);
  const usage = wireUsage(needs);
  const secret = secretContract();
  const connectorClass = connectorClassContract({
    isEnvAllowed: connectorVariables(settings['connectors.envAllow'] ?? [], config),
    environment: engines.environment,
    secretProblem,
  });
  const connector = connectorContract({ ancestorsOf });
  const workflow = workflowContract({
    limits: { definitionBytes: settings['limits.workflowDefinitionMax'], steps: settings['limits.stepsMax'] },
    isToolGranted: toolGrant({ ancestorsOf }),
  });
  const sandboxes = sandboxContracts({
    ancestorsOf,
    providerProblem: (provider) => `this process has no sandbox backend ${provider}`,
    secretProblem,
  });
  const [sandboxClass, sandboxPolicy] = sandboxes;
  const times = taskTimes(config);
  const kinds: readonly KindContract[] = [
    secret,
    connectorClass,
    connector,
    workflow,
    ...sandboxes,
    usagePolicyContract({ policies: usage.policies }),
    taskContract(times),
    workerContract(),
  ];
  const local = { presenceOnly: true, sameNamespace: true };
  const followers = [
    { contract: secret, follows: {} },
    { contract: connectorClass, follows: { Secret: {} } },
    {
      contract: connector,
      follows: { ConnectorClass: {}, Channel: {}, Agent: { presenceOnly: true }, Workflow: { presenceOnly: true } },
    },
    {
      contract: workflow,
      follows: { Agent: local, Workflow: local, McpServer: {}, McpServerBinding: {}, Namespace: {} },
    },
    { contract: sandboxClass, follows: { Secret: {} } },
    { contract: sandboxPolicy, follows: { SandboxClass: { presenceOnly: true } } },
  ];
  const { registration, jobs } = wireWorkers(needs);
  const hint = (version: number): void => engines.bus.publish(RESOURCES_CHANGED, { version });
  const machinery = (
    writer: ResourceWriter,
  ): { readonly reconcilers: readonly Reconciler[]; readonly workers: readonly QueueWorker[] } => ({
    reconcilers: [
      ...followers.flatMap(({ contract, follows }) =>
        contract === undefined ? [] : [statusReconciler({ store: engines.store, writer, seal, contract, follows })],
      ),
      registration.reconciler(),
    ],
    workers: [
      new ResealWorker({ store: engines.store, seal, values: [SEALED_TOKEN_KEY, SEALED_LINK_KEY], hint }),
      new TaskTimer({ store: engines.store, writer, times, stopExecution: stopExecution(needs.runtime) }),
    ],
  });
  const { policies, meter, usageFacts } = usage;
  return { kinds, machinery, registration, policies, meter, usageFacts, jobs: [...jobs, ...usage.jobs] };
};

export type PlatformParts = ReturnType<typeof wirePlatform>;

/** RotateSecretKey, UpdateTask, DrainWorker. */
export const platformOperations = ({ config, engines, resources, turns }: AppParts): readonly Operation[] => {
  const { store, secretKeys } = engines;
  const { writer, views, audit, tree } = resources;
  const shared = { store, writer, views, audit };
  return [
    ...secretOperations({ store, audit, keys: secretKeys, resealKind: RESEAL }),
    ...taskOperations({
      ...shared,
      namespaces: tree,
      times: taskTimes(config),
      stopExecution: stopExecution(() => turns.runtime),
    }),
    ...workerOperations(shared),
  ];
};
