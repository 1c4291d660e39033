import { AuditChain, ModeAuthenticator } from '../auth/index.ts';
import { agentOperations } from '../features/agents/index.ts';
import type { Operation } from '../features/contract.ts';
import { ObjectCollector } from '../features/files/index.ts';
import { ensureNamespaces, namespaceOperations } from '../features/namespaces/index.ts';
import { sessionOperations } from '../features/sessions/index.ts';
import { capabilityProblems } from '../tools/index.ts';
import { createTransport } from '../transport/index.ts';
import type { Config } from './config/index.ts';
import { GuardedFetch } from './outbound/index.ts';
import { PeriodicJobs } from './periodic.ts';
import { createMetrics } from './telemetry/index.ts';
import { type Engines, openEngines, type Surroundings } from './wiring/engines.ts';
import { type ResourceParts, wireResources } from './wiring/resources.ts';
import { namespaceTurns, wireModels, wireTurns } from './wiring/turns.ts';

/** A server that answers; `close` drains and leaves nothing half done. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly config: Config;
  /** Shuts down as RT-2.9; the second call skips the wait. */
  close(): Promise<void>;
}

const START = { requestId: '', operation: 'start', caller: { identity: 'system' } };
const MESSAGE_CACHE_BYTES = 32 * 1024 * 1024;
const CHAIN_MS = 5000;
const COLLECT_MS = 3_600_000;

type Turns = ReturnType<typeof wireTurns>;

const operationsOf = (
  config: Config,
  engines: Engines,
  parts: { readonly resources: ResourceParts; readonly turns: Turns },
): readonly Operation[] => {
  const { resources, turns } = parts;
  const { store, bus, clock, ids } = engines;
  const { settings } = config;
  const { views, writer, authorizer, audit } = resources;
  const responseBytes = settings['limits.responseBytes'];
  return [
    ...namespaceOperations({ store, service: resources.namespaceService, authorizer, views, responseBytes }),
    ...agentOperations({ store, writer, authorizer, views, ids, responseBytes }),
    ...sessionOperations({
      store,
      bus,
      clock,
      ids,
      views,
      audit,
      admission: turns.runtime.admission,
      lifecycle: turns.runtime.lifecycle,
      streams: turns.streams,
      cursors: turns.cursors,
      agents: resources.agents,
      namespaces: resources.tree,
      objects: turns.objects,
      fetcher: new GuardedFetch({ allow: settings['net.allow'] }),
      limits: {
        messageBytes: settings['limits.messageBytes'],
        responseBytes,
        labels: settings['limits.labels'],
        batchSessions: settings['limits.batchSessions'],
        waitSeconds: config.transport.waitDeadlineMs / 1000,
        idempotencyHours: settings['idempotency.hours'] / 3_600_000,
        messageCacheBytes: MESSAGE_CACHE_BYTES,
      },
    }),
  ];
};

/** Opens, wires and starts everything; the order is the reverse of `close`. Rejects with a Fault that says what to do. */
export const startApp = async (config: Config, around: Surroundings): Promise<RunningServer> => {
  const engines = await openEngines(config, around);
  const { store, clock, log, ids } = engines;
  const models = wireModels(config, engines);
  let turns: Turns | undefined;
  const resources = wireResources({
    config,
    engines,
    surroundings: {
      models,
      capabilityProblems,
      isToolsetAvailable: (name) => name === 'goals' || name === 'artifacts',
      hasHarness: (name) => name in settingsOf(config, 'acp.harnesses'),
    },
    turns: namespaceTurns(() => requireTurns(turns).runtime),
    kinds: [],
  });
  const metrics = createMetrics({
    runningTurns: () => turns?.runtime.worker.running ?? 0,
    repairs: () => turns?.runtime.sweeper.repairs ?? 0,
  });
  turns = wireTurns({
    config,
    engines,
    models,
    agents: resources.agents,
    namespaces: resources.tree,
    endHooks: [metrics.turnHook],
  });
  const { runtime, streams } = turns;
  await ensureNamespaces(store, resources.writer, START);
  await resources.start();
  await runtime.start();
  const jobs = new PeriodicJobs({ clock, log });
  const chain = new AuditChain(store);
  const collector = new ObjectCollector({ store, blobs: engines.blobs });
  jobs.start([
    { name: 'audit-chain', everyMs: CHAIN_MS, tick: () => chain.tick() },
    { name: 'object-collector', everyMs: COLLECT_MS, tick: () => collector.tick() },
  ]);
  const transport = await createTransport({
    config: config.transport,
    operations: operationsOf(config, engines, { resources, turns }),
    routes: [],
    readiness: [{ name: 'store', check: () => store.ping() }],
    authenticator: new ModeAuthenticator(config.auth, clock),
    authorizer: resources.authorizer,
    metricsText: metrics.text,
    onCall: metrics.onCall,
    clock,
    ids,
    log,
  });
  const close = async (): Promise<void> => {
    streams.shutDown();
    const drained = transport.drain();
    await runtime.stop();
    await drained;
    await transport.close();
    jobs.close();
    resources.close();
    await chain.tick();
    await models.close();
    await engines.bus.close();
    await store.close();
  };
  const scheme = config.transport.tls === undefined ? 'http' : 'https';
  return {
    host: transport.host,
    port: transport.port,
    url: `${scheme}://${transport.host}:${transport.port}`,
    config,
    close,
  };
};

const settingsOf = (config: Config, key: 'acp.harnesses'): object => {
  const value: unknown = config.settings[key];
  return typeof value === 'object' && value !== null ? value : {};
};

const requireTurns = (turns: Turns | undefined): Turns => {
  if (turns === undefined) throw new Error('turns are wired before the first namespace is written');
  return turns;
};
