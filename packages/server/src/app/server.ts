import type { Clock } from '../base/index.ts';
import { systemOrigin } from '../controllers/index.ts';
import { ensureNamespaces } from '../features/authoring/namespaces/index.ts';
import { answerExpiry } from '../idempotency/index.ts';
import type { Operation } from '../operations/index.ts';
import { createTransport, type TransportConfig, type TransportServer } from '../transport/index.ts';
import type { Config } from './config/index.ts';
import type { ServerHost } from './engines/index.ts';
import { readTls } from './tls-files.ts';
import { type App, servedParts, wireApp } from './wiring/index.ts';

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

const START = systemOrigin('start');
/** How long calls that waited for a turn may take to be answered once the turns have ended. */
const LAST_ANSWERS_MS = 1000;

/** Where the process is reached, once it listens. */
interface Listening {
  transport?: TransportServer;
}

/** Brings the parts to life, the store's contents first and the port last. */
const startParts = async (app: App, tls: TransportConfig['tls'], listening: Listening): Promise<TransportServer> => {
  const { host, turns, features, parts, machinery, jobs } = app;
  const { usage, workers, files, access } = features;
  await ensureNamespaces(host.store, host.writer, START);
  await host.feed.start();
  await host.ancestry.start(host.store.direct.resources, host.feed);
  machinery.start();
  await usage.start();
  await workers.start();
  await turns.runtime.start();
  await files.start();
  jobs.start([...parts.jobs, answerExpiry(host.store)]);
  await access.start();
  const transport = await createTransport(servedParts(app, tls === undefined ? {} : { tls }));
  listening.transport = transport;
  return transport;
};

/** Calls that waited for a turn are answered once no turn runs any more. */
const answerLast = async (transport: TransportServer, clock: Clock): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(LAST_ANSWERS_MS, late.resolve);
  await Promise.race([transport.drain(), late.promise]);
  cancel();
};

/** Reverse of the start: streams and turns first, the store last. Also cleans up after a start that failed half-way. */
const stopParts = async (app: App, transport: TransportServer | undefined): Promise<void> => {
  const { engines, observation, host, turns, features, machinery, jobs } = app;
  const { usage, workers, access, backups, mcpServers, sandboxes, delegation, agentProtocol, connectors, workflows } =
    features;
  const { streams, runtime, models } = turns;
  streams.shutDown();
  const drained = transport?.drain();
  await runtime.stop();
  streams.close();
  await drained;
  if (transport !== undefined) await answerLast(transport, host.clock);
  await transport?.close();
  jobs.close();
  await backups.close();
  usage.close();
  await workers.close();
  machinery.close();
  await delegation.close();
  await workflows.calls.close();
  await agentProtocol.close();
  await connectors.close();
  await mcpServers.close();
  await sandboxes.close();
  host.ancestry.close();
  host.feed.close();
  await access.close();
  await models.close();
  await host.bus.close();
  engines.objects.close();
  await host.store.close();
  await observation.close();
};

/** Opens, wires and starts everything. Rejects with a Fault that says what to do, and leaves nothing open then. */
export const startApp = async (config: Config, around: ServerHost): Promise<RunningServer> => {
  const tls = config.tls === undefined ? undefined : readTls(config.tls);
  const listening: Listening = {};
  const app = await wireApp(config, around, () => listening.transport?.port ?? 0);
  let transport: TransportServer;
  try {
    transport = await startParts(app, tls, listening);
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
    defaultModel: app.turns.models.defaultTarget,
    operations: transport.operations,
    activity: () => ({ turns: app.turns.runtime.worker.running, streams: transport.openStreams() }),
    renewTls: () => {
      if (config.tls !== undefined) transport.renewTls(readTls(config.tls));
    },
    close: () => stopParts(app, transport),
  };
};
