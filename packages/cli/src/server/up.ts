import { resolve } from 'node:path';
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client/error';
import { configInside, hasOwnConfig } from '../config-place.ts';
import type { GlobalOptions } from '../connection.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host, ServerModule } from '../host.ts';
import { userDirectory } from '../profiles.ts';
import { counted, styleFor } from '../terminal/index.ts';
import { starterConfig } from './config.ts';

export interface UpOptions extends GlobalOptions {
  readonly port?: string;
  readonly dataDir?: string;
  readonly config?: string;
  /** False with --no-open. */
  readonly open?: boolean;
  /** False with --no-demo. */
  readonly demo?: boolean;
  /** Platforms that are connected by this process. */
  readonly connector?: readonly string[];
}

export interface ServeOptions extends GlobalOptions {
  readonly config?: string;
  readonly roles?: string;
}

const PRIVATE_FILE = 0o600;

type Running = Awaited<ReturnType<ServerModule['startServer']>>;

/**
 * `svc up`: starts a server and creates what it needs; a second start finds it and changes nothing.
 * Returns after the server has been stopped and closed.
 */
export const up = async (host: Host, options: UpOptions): Promise<void> => {
  const listen = options.port === undefined ? undefined : `127.0.0.1:${portOf(options.port)}`;
  const started = host.nowMs();
  const server = await host.loadServer();
  const { config, dataDir } = prepare(server, host, options);
  const flags = { config, dataDir, 'server.listen': listen, 'telemetry.logLevel': logLevel(host) };
  const running = await start(server, { host, flags, note: noteTo(host) });
  if (options.demo !== false) await ensureDemo(host, running.url);
  host.stderr.write(
    welcome(host, { running, dataDir, ms: host.nowMs() - started, isDemo: options.demo !== false, options }),
  );
  const connectors = await startConnectors(host, running, options.connector);
  if (options.open !== false && host.stdout.isTerminal && running.config.settings['console.enabled'])
    host.openBrowser(running.url);
  const onStopping = (stopping: Stopping): void => host.stderr.write(stoppingText(stopping));
  try {
    await server.serveUntilSignal(running, { endsWithTerminal: host.stdin.isTerminal, onStopping });
  } finally {
    await connectors?.stop();
  }
};

/** A connector that cannot start ends the server as well: it was asked for. */
const startConnectors = async (host: Host, running: Running, platforms: readonly string[] | undefined) => {
  if (platforms === undefined) return undefined;
  try {
    return await (await import('../connectors/index.ts')).startEmbedded(host, platforms, running.url);
  } catch (error) {
    await running.close();
    throw error;
  }
};

/** `svc serve`: starts for production; uses the configuration as it is and writes none. */
export const serve = async (host: Host, options: ServeOptions): Promise<void> => {
  const server = await host.loadServer();
  const flags = { config: options.config, 'server.roles': options.roles };
  const running = await start(server, { host, flags, note: noteTo(host) });
  host.stderr.write(`svc listens on ${running.url}\n`);
  await server.serveUntilSignal(running, { onStopping: (stopping) => host.stderr.write(stoppingText(stopping)) });
};

type Flags = Readonly<Record<string, string | undefined>>;

/**
 * The data directory, and the configuration in it. Nothing is written into a directory that another server uses; the server creates the
 * key file, because it knows whether that would replace a lost one.
 */
const prepare = (
  server: ServerModule,
  host: Host,
  options: UpOptions,
): { readonly config: string | undefined; readonly dataDir: string } => {
  const chosen = host.environment['SVC_DATA_DIR'] || undefined;
  const dataDir = resolve(host.cwd, options.dataDir ?? chosen ?? userDirectory(host, 'data'));
  try {
    const held = server.holdDataDirectory(dataDir);
    try {
      return { dataDir, config: options.config ?? ownConfig(host, dataDir) };
    } finally {
      held.release();
    }
  } catch (error) {
    throw explainStart(error, server) ?? error;
  }
};

const portOf = (text: string): string => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new CommandFailure(`${text} is not a port`, { hint: 'a number up to 65535; 0 picks a free one' });
};

/** One line per request is for operators; a person at a terminal only sees problems. */
const logLevel = (host: Host): string | undefined =>
  (host.environment['SVC_TELEMETRY_LOG_LEVEL'] ?? '') === '' ? 'warn' : undefined;

/** The configuration in the data directory, created if missing, unless the person has one elsewhere. */
const ownConfig = (host: Host, dataDir: string): string | undefined => {
  if (hasOwnConfig(host)) return undefined;
  const path = configInside(dataDir);
  if (host.files.facts(path) === undefined) host.files.writeText(path, starterConfig, PRIVATE_FILE);
  return path;
};

type Stopping = Parameters<NonNullable<NonNullable<Parameters<ServerModule['serveUntilSignal']>[1]>['onStopping']>>[0];

/** What a shutdown waits for, and how to skip the wait. */
const stoppingText = ({ turns, streams, drainMs }: Stopping): string => {
  const told = streams === 0 ? '' : `; ${counted(streams, 'reader is', 'readers are')} asked to come back later`;
  const work =
    turns === 0 ? 'no answer is running' : `${counted(turns, 'answer hands', 'answers hand')} over after the next step`;
  return `stopping: ${work}${told}. This takes ${drainMs / 1_000} s at most; Ctrl-C again stops now.\n`;
};

const noteTo = (host: Host) => (text: string) => host.stderr.write(`${text}\n`);

const start = async (
  server: ServerModule,
  given: { readonly host: Host; readonly flags: Flags; readonly note: (text: string) => void },
): Promise<Running> => {
  const { host, flags, note } = given;
  try {
    return await server.startServer({
      flags,
      environment: host.environment,
      cwd: host.cwd,
      onWarning: (warning) =>
        note(`warning: ${[warning.label, warning.key, warning.text].filter((piece) => piece !== '').join(': ')}`),
    });
  } catch (error) {
    throw explainStart(error, server) ?? error;
  }
};

const START_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'DATA_DIR_IN_USE',
    'it is running already: talk to it with `svc chat`; for a second one: svc up --port 7421 --data-dir DIR',
  ],
  ['STORE_DAMAGED', 'bring a backup back: svc restore FILE --replace'],
]);

/** Why a start failed and what to do; undefined for unexpected errors. */
const explainStart = (error: unknown, server: ServerModule): CommandFailure | undefined => {
  if (server.isFault(error)) {
    const hint = START_HINTS.get(error.reason);
    return new CommandFailure(`${error.message} (${error.reason})`, { hint, cause: error });
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = error instanceof Error && 'port' in error ? ` ${String(error.port)}` : '';
  if (code === 'EADDRINUSE') {
    return new CommandFailure(`the port${address} is taken`, {
      exitCode: exitCodes.connection,
      hint: 'another svc may be running already: try `svc chat`; or choose another port: svc up --port 7421',
      cause: error,
    });
  }
  if (code === 'EACCES')
    return new CommandFailure(`not allowed: ${(error as Error).message}`, { hint: 'svc doctor', cause: error });
  return undefined;
};

/** The agent of the first conversation: the default model, tools, and one tool that asks before it acts. */
const ensureDemo = async (host: Host, url: string): Promise<void> => {
  const client = await host.createClient({ baseUrl: url });
  try {
    await client.gateway.createAgent({
      ns: 'default',
      name: 'demo',
      spec: fromJson(AgentSpecSchema, demoSpec),
    });
  } catch (error) {
    // A server that needs a credential has an operator who creates agents; an existing demo agent is not changed.
    if (!isSvcError(error) || !['ALREADY_EXISTS', 'UNAUTHENTICATED', 'PERMISSION_DENIED'].includes(error.code))
      throw error;
  }
};

/** list_goals runs freely, create_goal and update_goal ask. */
const demoSpec: JsonObject = {
  systemPrompt: 'You are the demo agent of svc. Answer briefly. Use your tools when they help.',
  features: [{ name: 'goals', type: 'toolset' }],
  capabilities: { goals: ['inspect', { action: 'create', approval: 'ask' }, { action: 'update', approval: 'ask' }] },
};

interface Welcome {
  readonly running: Running;
  readonly dataDir: string;
  readonly ms: number;
  readonly isDemo: boolean;
  readonly options: UpOptions;
}

/** Which model answers for agents that name none, and how to use another configured provider. */
const modelText = ({ config, defaultModel: { provider, model } }: Running): string => {
  const others = Object.keys(config.models.providers).filter((name) => name !== 'demo');
  if (provider !== 'demo') return `${provider}/${model}`;
  const text = `demo/${model}, which needs no key`;
  const [other] = others;
  return other === undefined ? text : `${text}; to use ${others.join(' or ')} set models.default: ${other}/MODEL`;
};

const welcome = (host: Host, facts: Welcome): string => {
  const { running, dataDir, ms, isDemo, options } = facts;
  const style = styleFor(host.stderr, host.environment, options.color);
  const { url, config } = running;
  const flag = url === 'http://127.0.0.1:7420' ? '' : ` --server ${url}`;
  const model = modelText(running);
  const talk = isDemo
    ? [
        '',
        'Talk to the demo agent from another terminal:',
        `  ${style.cyan(`svc chat${flag}`)}      ${style.dim(`(from a clone: npx svc chat${flag})`)}`,
        `  ${style.cyan(`curl -s ${url}/v1/ns/default/agents/demo/sessions -X POST`)}`,
      ]
    : [];
  return `${[
    `${style.green('svc is up')} at ${style.bold(url)} ${style.dim(`(ready in ${Math.round(ms)} ms)`)}`,
    ...(config.settings['console.enabled'] ? [`  console ${style.bold(`${url}/`)}`] : []),
    `  data    ${dataDir}`,
    `  config  ${config.file ?? 'defaults'}`,
    `  model   ${model}`,
    ...talk,
    '',
    style.dim('Ctrl-C stops the server; nothing is lost, running answers continue at the next start.'),
  ].join('\n')}\n`;
};
