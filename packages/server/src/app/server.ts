import { AuditChain } from '../auth/index.ts';
import type { Clock } from '../base/index.ts';
import type { ResourceWriter } from '../controllers/index.ts';
import { sessionContract } from '../features/authoring/manifests/index.ts';
import { ensureNamespaces } from '../features/authoring/namespaces/index.ts';
import { answerExpiry } from '../idempotency/index.ts';
import type { Operation } from '../operations/index.ts';
import { createActivityHook } from '../runtime/stream/index.ts';
import type { WriteTx } from '../store/contracts/index.ts';
import { loadMigrations } from '../store/migrations/index.ts';
import { capabilityProblems } from '../tools/index.ts';
import { createTransport, type TransportConfig, type TransportServer } from '../transport/index.ts';
import type { Config } from './config/index.ts';
import { type HomeFacts, homeRoute } from './home/index.ts';
import { PeriodicJobs } from './periodic.ts';
import { retentionJobs } from './retention.ts';
import { readTls } from './tls-files.ts';
import {
  type AppParts,
  administrationOperations,
  type BackupParts,
  clientUrl,
  coordinationKinds,
  coordinationMachinery,
  type Engines,
  fileKinds,
  fileMachinery,
  joinMachinery,
  namespaceTurns,
  type Observation,
  openAccess,
  openEngines,
  openObservation,
  operatorRoutes,
  type PlatformParts,
  type ServerHost,
  skillSource,
  surfaceOf,
  type TurnParts,
  watchParts,
  wireBackups,
  wireFiles,
  wireModels,
  wirePlatform,
  wireResources,
  wireSecrets,
  wireTurns,
} from './wiring/index.ts';

/** What happens in a process at one moment. */
export interface Activity {
  /** Turns that run here; each hands over after its next step. */
  readonly turns: number;
  /** Streams and watches with a reader; each is ended with SHUTTING_DOWN. */
  readonly streams: number;
}

/** A server that answers; `close` drains and leaves nothing half done. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly config: Config;
  /** The model of agents that name none. */
  readonly defaultModel: { readonly provider: string; readonly model: string };
  /** Every operation of the API as its feature declares it. */
  readonly operations: readonly Operation[];
  /** What a shutdown would wait for or end. */
  activity(): Activity;
  /** Reads the files of `server.tls.*` again. Throws TLS_UNUSABLE, and what was read before stays. */
  renewTls(): void;
  /** Takes no new work, lets running turns hand over at their next journal entry, ends streams with a cursor, then stops. */
  close(): Promise<void>;
}

const START = { requestId: '', operation: 'start', caller: { identity: 'system' } };
/** How often the audit chain is closed over new records. */
const CHAIN_MS = 5000;
/** How long calls that waited for a turn may take to be answered once the turns have ended. */
const LAST_ANSWERS_MS = 1000;
/** Toolsets whose backend every build has. */
const TOOLSETS: ReadonlySet<string> = new Set(['goals']);

interface App extends AppParts {
  readonly models: ReturnType<typeof wireModels>;
  readonly observation: Observation;
  readonly jobs: PeriodicJobs;
  readonly chain: AuditChain;
  readonly backups: BackupParts;
}

const hasHarness = (config: Config, name: string): boolean => {
  const harnesses: unknown = config.settings['acp.harnesses'];
  return typeof harnesses === 'object' && harnesses !== null && name in harnesses;
};

/** A session deleted through any API ends its turns and goes with everything it holds. */
const removeSession = async (tx: WriteTx, sessionId: string, runtime: TurnParts['runtime']): Promise<void> => {
  const session = await tx.log.lockSession(sessionId);
  if (session !== undefined) await runtime.lifecycle.remove(tx, session);
};

const machineryOf = (engines: Engines, platform: PlatformParts) => (writer: ResourceWriter) =>
  joinMachinery(coordinationMachinery(engines, writer), fileMachinery(engines, writer), platform.machinery(writer));

/** What agents are checked against. */
const agentDependencies = (
  config: Config,
  models: ReturnType<typeof wireModels>,
  tools: () => TurnParts['tools'] | undefined,
) => ({
  models,
  capabilityProblems,
  isToolsetAvailable: (name: string): boolean => TOOLSETS.has(name),
  hasTool: (name: string): boolean => tools()?.exists(name) === true,
  hasHarness: (name: string): boolean => hasHarness(config, name),
});

/** Builds every part; nothing runs yet. Namespaces and turns need each other, so the runtime is looked up when used. */
const wireApp = async (config: Config, around: ServerHost): Promise<App> => {
  const opened = await openEngines(config, around);
  const observation = await openObservation(config, opened);
  const { metrics, tracer } = observation;
  const engines = { ...opened, store: metrics.timed(opened.store) };
  const secrets = wireSecrets(engines);
  const models = wireModels(config, engines, { secrets, onRetry: metrics.retried });
  const workerId = engines.ids.next();
  let turns: TurnParts | undefined;
  const runtime = (): TurnParts['runtime'] => {
    if (turns === undefined) throw new Error('turns are wired before the first namespace is written');
    return turns.runtime;
  };
  const platform = wirePlatform({
    config,
    engines,
    secrets,
    workerId,
    usageRefused: metrics.usageRefused,
    runtime,
    ancestorsOf: (namespace) => resources.ancestry.ancestors(namespace),
    writer: () => resources.writer,
  });
  const resources = wireResources({
    config,
    engines,
    dependencies: agentDependencies(config, models, () => turns?.tools),
    turns: namespaceTurns(runtime),
    kinds: [
      sessionContract({ removeSession: (tx, id) => removeSession(tx, id, runtime()) }),
      ...coordinationKinds(config, engines, () => resources.writer),
      ...fileKinds(config),
      ...platform.kinds,
    ],
    machinery: machineryOf(engines, platform),
  });
  const { agents, tree } = resources;
  turns = wireTurns({
    config,
    engines,
    models,
    agents,
    namespaces: tree,
    skills: skillSource(resources.directory),
    endHooks: [observation.turnHook, createActivityHook(engines.bus)],
    tracer,
    meter: metrics.meter,
    usage: platform.meter,
    workerId,
  });
  watchParts(observation, { config, engines, resources, turns, platform });
  const { clock, log, store } = engines;
  return {
    config,
    engines,
    models,
    resources,
    turns,
    platform,
    observation,
    jobs: new PeriodicJobs({ clock, log }),
    chain: new AuditChain(store),
    backups: wireBackups(config, engines, resources.audit),
  };
};

/** Brings the parts to life, the store's contents first and the port last. */
const startParts = async (app: App, tls: TransportConfig['tls']): Promise<TransportServer> => {
  const { config, engines, resources, turns, platform, observation, jobs, chain, backups } = app;
  const { store, clock, ids, log } = engines;
  await ensureNamespaces(store, resources.writer, START);
  await resources.start();
  await platform.policies.start(store.direct.resources, resources.feed);
  await platform.registration.heartbeat();
  await turns.runtime.start();
  let listening: TransportServer | undefined;
  const port = (): number => listening?.port ?? 0;
  const files = await wireFiles(app, port);
  jobs.start([
    { name: 'audit-chain', everyMs: CHAIN_MS, tick: () => chain.tick() },
    ...files.jobs,
    ...platform.jobs,
    ...backups.jobs,
    answerExpiry(store),
    ...retentionJobs({ store, settings: config.settings, lifecycle: turns.runtime.lifecycle, audit: resources.audit }),
  ]);
  const { operations, routes } = surfaceOf(app, files.links);
  const access = await openAccess(app);
  listening = await createTransport({
    config: { ...config.transport, ...(tls === undefined ? {} : { tls }) },
    operations: [
      ...operations,
      ...files.operations,
      ...access.operations,
      ...administrationOperations(app),
      ...backups.operations,
    ],
    routes: [homeRoute(homeFacts(app, port)), ...routes, ...files.routes, ...access.routes, ...operatorRoutes(app)],
    readiness: [
      { name: 'store', check: () => store.ping() },
      { name: 'objects', check: engines.objects.reach },
      { name: 'keys', check: () => engines.secretKeys.requireKnown() },
    ],
    authenticator: access.authenticator,
    authorizer: resources.authorizer,
    metricsText: observation.metrics.text,
    schemaVersion: () => loadMigrations(config.store.engine).length,
    onCall: observation.onCall,
    clock,
    ids,
    log,
  });
  return listening;
};

const homeFacts = ({ config, models, turns }: App, port: () => number): HomeFacts => ({
  version: config.transport.version,
  needsCredential: !config.transport.loopbackOnly,
  url: () => clientUrl(config, port()),
  running: () => ({
    Version: config.transport.version,
    Model: `${models.defaultTarget.provider}/${models.defaultTarget.model}`,
    Store: config.store.engine === 'postgres' ? 'PostgreSQL' : 'SQLite',
    'Running turns': String(turns.runtime.worker.running),
    'Open streams': String(turns.streams.open),
  }),
});

/** Calls that waited for a turn are answered once no turn runs any more. */
const answerLast = async (transport: TransportServer, clock: Clock): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(LAST_ANSWERS_MS, late.resolve);
  await Promise.race([transport.drain(), late.promise]);
  cancel();
};

/** Reverse of the start: streams and turns first, the store last. Also cleans up after a start that failed half-way. */
const stopParts = async (app: App, transport: TransportServer | undefined): Promise<void> => {
  const { engines, models, resources, turns, platform, observation, jobs, chain, backups } = app;
  turns.streams.shutDown();
  const drained = transport?.drain();
  await turns.runtime.stop();
  turns.streams.close();
  await drained;
  if (transport !== undefined) await answerLast(transport, engines.clock);
  await transport?.close();
  jobs.close();
  await backups.close();
  platform.policies.close();
  await platform.registration.close();
  resources.close();
  await chain.tick();
  await models.close();
  await engines.bus.close();
  engines.objects.close();
  await engines.store.close();
  await observation.close();
};

/** Opens, wires and starts everything. Rejects with a Fault that says what to do, and leaves nothing open then. */
export const startApp = async (config: Config, around: ServerHost): Promise<RunningServer> => {
  const tls = config.tls === undefined ? undefined : readTls(config.tls);
  const app = await wireApp(config, around);
  let transport: TransportServer;
  try {
    transport = await startParts(app, tls);
  } catch (error) {
    await stopParts(app, undefined);
    throw error;
  }
  const { host, port } = transport;
  const scheme = config.tls === undefined ? 'http' : 'https';
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    url: `${scheme}://${shown}:${port}`,
    config,
    defaultModel: app.models.defaultTarget,
    operations: transport.operations,
    activity: () => ({ turns: app.turns.runtime.worker.running, streams: transport.openStreams() }),
    renewTls: () => {
      if (config.tls !== undefined) transport.renewTls(readTls(config.tls));
    },
    close: () => stopParts(app, transport),
  };
};
