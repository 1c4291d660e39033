import type { Client, Transport } from '@modelcontextprotocol/client';
import type { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import type { Clock, Log } from '../../base/index.ts';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';
import { OpenConnection } from './connection.ts';
import {
  type McpConnection,
  type McpConnectOptions,
  type McpConnector,
  McpFailure,
  type McpHttpTarget,
  type McpProcessTarget,
  type McpTarget,
} from './contract.ts';
import { connectFailureOf, failureOf } from './failures.ts';
import { guardFlood } from './flood-guard.ts';
import { questionOf } from './questions.ts';
import { SKILLS_EXTENSION, SkillRequests } from './skill-requests.ts';
import { withTaskHandle } from './task-handles.ts';

export interface McpConnectorDeps {
  /** Requests to an address that a namespace named, or, where it is trusted, that the operator did. */
  readonly fetch: (isTrusted: boolean) => Fetch;
  /** Version of svc, which servers learn. */
  readonly version: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'debug'>;
}

/** The version of the stateless era that is asked for by name. */
const STATELESS = '2026-07-28';
/** How long a process may leave the question for the era unanswered before it is taken for one of the older era. */
const PROCESS_PROBE_MS = 5_000;
/** How long the end of a session may take on the side of the server. */
const GOODBYE_MS = 1_000;
/** Longest line of a process: with every chunk that arrives, the library searches and copies all that it holds of the line. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** Its name in capabilities: servers may answer calls with tasks. */
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** Pages of one list. */
const PAGES_MAX = 64;

/** Opens connections with the official library. */
export const createMcpConnector = (deps: McpConnectorDeps): McpConnector => ({
  connect: async (target, options) => {
    const library = await import('@modelcontextprotocol/client');
    const holder: { connection?: OpenConnection } = {};
    const overflowed = (failure: McpFailure): void => holder.connection?.fail(failure);
    const transport = await openTransport(deps, target, { ...options, library, overflowed });
    const client = new library.Client(
      { name: 'svc', version: deps.version },
      {
        capabilities: { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {}, [SKILLS_EXTENSION]: {} } },
        versionNegotiation: negotiation(target, options),
        inputRequired: { autoFulfill: false },
        listMaxPages: PAGES_MAX,
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => holder.connection?.toolsChanged() },
          resources: { autoRefresh: false, debounceMs: 0, onChanged: () => holder.connection?.resourcesChanged() },
        },
      },
    );
    client.onerror = (error) => deps.log.debug('MCP connection reports an error', { reason: failureOf(error).message });
    client.setRequestHandler('elicitation/create', ({ params }) =>
      holder.connection === undefined ? { action: 'cancel' as const } : holder.connection.elicited(questionOf(params)),
    );
    return open({ ...deps, client, transport, holder }, options);
  },
});

interface Opening extends McpConnectorDeps {
  readonly client: Client;
  readonly transport: Transport;
  readonly holder: { connection?: OpenConnection };
}

const open = async (opening: Opening, { signal }: McpConnectOptions): Promise<McpConnection> => {
  const { client, transport, holder } = opening;
  const flood = new AbortController();
  const flooded = (): void => {
    const failure = new McpFailure('malformed', 'the server sends far more than it is asked for');
    flood.abort(failure);
    killProcess(transport);
    holder.connection?.fail(failure);
  };
  guardFlood(transport, { flooded, read: withTaskHandle });
  const ended = AbortSignal.any([signal, flood.signal]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(ended.reason);
  ended.addEventListener('abort', stop, { once: true });
  aborted.catch(() => undefined);
  try {
    ended.throwIfAborted();
    await Promise.race([client.connect(transport, { signal: ended }), aborted]);
  } catch (error) {
    const failure = connectFailureOf(
      flood.signal.aborted ? flood.signal.reason : signal.aborted ? signal.reason : error,
    );
    await quietly(client.close());
    await quietly(transport.close());
    throw failure;
  } finally {
    ended.removeEventListener('abort', stop);
  }
  const skills = new SkillRequests({ client, reader: () => skillReader(client) });
  const connection = new OpenConnection(client, skills, () => end(opening));
  holder.connection = connection;
  client.onclose = () => connection.lost();
  return connection;
};

const skillReader = async (client: Client): Promise<SkillsClient> => {
  const library = await import('@modelcontextprotocol/client/ext/skills');
  return new library.SkillsClient(client);
};

/** Ends the session at its server where there is one; a server that cannot be reached forgets it by itself. */
const end = async ({ client, transport, clock }: Opening): Promise<void> => {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function') {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(GOODBYE_MS, late.resolve);
    await Promise.race([quietly(transport.terminateSession() as Promise<void>), late.promise]);
    cancel();
  }
  await quietly(client.close());
};

/** Cleaning up after a server that may be gone: how that fails changes nothing. */
const quietly = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

/** A process that floods is not asked to end. */
const killProcess = (transport: Transport): void => {
  const { pid } = transport as { readonly pid?: number | null };
  if (typeof pid === 'number') process.kill(pid, 'SIGKILL');
};

const negotiation = ({ transport }: McpTarget, { era }: McpConnectOptions) => {
  if (transport === 'sse' || era === '2025') return { mode: 'legacy' as const };
  if (era === '2026') return { mode: { pin: STATELESS } };
  return { mode: 'auto' as const, ...(transport === 'stdio' ? { probe: { timeoutMs: PROCESS_PROBE_MS } } : {}) };
};

type Library = typeof import('@modelcontextprotocol/client');

interface TransportOptions extends McpConnectOptions {
  readonly library: Library;
  /** The server sent an event that is too long; the connection is of no use any more. */
  readonly overflowed: (failure: McpFailure) => void;
}

const openTransport = async (
  deps: McpConnectorDeps,
  target: McpTarget,
  options: TransportOptions,
): Promise<Transport> => (target.transport === 'stdio' ? openProcess(target) : openHttp(deps, target, options));

const openProcess = async ({ command, args, environment }: McpProcessTarget): Promise<Transport> => {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...environment },
    // What a process writes there may hold its credentials.
    stderr: 'ignore',
    maxBufferSize: LINE_BYTES_MAX,
  });
};

const openHttp = (
  deps: McpConnectorDeps,
  { transport, url, headers, isTrusted }: McpHttpTarget,
  { library, authorization, overflowed }: TransportOptions,
): Transport => {
  const settings = {
    fetch: boundedFetch(deps.fetch(isTrusted), overflowed),
    requestInit: { headers: { ...headers } },
    ...(authorization === undefined
      ? {}
      : {
          authProvider: {
            token: () => authorization.token(),
            onUnauthorized: () => authorization.rejected(),
          },
        }),
  };
  const address = new URL(url);
  return transport === 'sse'
    ? new library.SSEClientTransport(address, settings)
    : new library.StreamableHTTPClientTransport(address, settings);
};
