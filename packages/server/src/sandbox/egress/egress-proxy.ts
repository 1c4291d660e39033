import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { SandboxNetwork } from '../contract.ts';
import { type Destination, isDestinationAllowed, parseAuthority, parseTarget } from './egress-rules.ts';

export interface EgressDeps {
  /** Addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Whether the address may be reached at all: it is public, or the operator allows it. */
  readonly isAllowedAddress: (address: string) => boolean;
}

export interface EgressGate {
  /** The Unix socket on which the proxy listens. */
  readonly socketPath: string;
  close(): Promise<void>;
}

// Not imported: an import asks for every export, and asking for WebSocket loads Node's web client (decision 0003).
const { createServer, request } = process.getBuiltinModule('node:http');

const FOLDER = 'svc-egress-';
const SOCKET = 's';
const CONNECT_MS = 10_000;
/** Connections of one sandbox at a time. */
const CONNECTIONS_MAX = 64;

/** An answer for what is refused, which tools show to their user. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * An HTTP proxy on a Unix socket of its own, the only way out of a sandbox that is mounted into it. Names are resolved here, the
 * checked address is the one that is connected to.
 */
export const openEgress = async (network: SandboxNetwork, deps: EgressDeps): Promise<EgressGate> => {
  // A short path: the address of a Unix socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), FOLDER));
  const socketPath = join(folder, SOCKET);
  const open = new Set<Duplex>();
  const server = createServer();
  server.maxConnections = CONNECTIONS_MAX;
  server.on('connection', (socket) => track(open, socket));
  server.on('request', (incoming, answer) => void forward({ incoming, answer, open }, network, deps));
  server.on('connect', (incoming, client, head) => {
    // What the client sent before it was answered belongs to the tunnel.
    client.unshift(head);
    void tunnel({ incoming, client: client as Socket, open }, network, deps);
  });
  await listen(server, socketPath);
  // Processes of a container have another user; others on this machine do not get into the folder.
  await chmod(socketPath, 0o666);
  return {
    socketPath,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Removes the sockets of processes that were killed: nothing listens on them any more. */
export const removeDeadGates = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(FOLDER) && (await isDead(join(folder, SOCKET))))
      await rm(folder, { recursive: true, force: true });
  }
};

const isDead = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });

const track = (open: Set<Duplex>, socket: Duplex): void => {
  open.add(socket);
  socket.on('close', () => open.delete(socket));
};

/** The address to connect to; throws a Refusal. */
const checkedAddress = async (
  network: SandboxNetwork,
  destination: Destination | undefined,
  deps: EgressDeps,
): Promise<string> => {
  if (destination === undefined) throw new Refusal(400, 'not a destination');
  const { host, port } = destination;
  if (!isDestinationAllowed(network, destination)) throw new Refusal(403, `this sandbox may not reach ${host}:${port}`);
  const addresses = isIP(host) === 0 ? await resolved(deps, host) : [host];
  const address = addresses.find((one) => deps.isAllowedAddress(one));
  if (address === undefined) throw new Refusal(403, `${host} is not a public address`);
  return address;
};

const resolved = async ({ resolve }: EgressDeps, host: string): Promise<readonly string[]> => {
  try {
    return await resolve(host);
  } catch (error) {
    throw Object.assign(new Refusal(502, `${host} has no address`), { cause: error });
  }
};

const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(502, 'the destination could not be reached');

interface Tunnel {
  readonly incoming: IncomingMessage;
  readonly client: Socket;
  readonly open: Set<Duplex>;
}

const tunnel = async ({ incoming, client, open }: Tunnel, network: SandboxNetwork, deps: EgressDeps): Promise<void> => {
  client.on('error', () => client.destroy());
  try {
    const destination = parseAuthority(incoming.url ?? '');
    const address = await checkedAddress(network, destination, deps);
    const upstream = await connected(address, destination?.port ?? 0);
    track(open, upstream);
    if (client.destroyed) return void upstream.destroy();
    upstream.on('error', () => client.destroy());
    // Not at once: the last bytes may still wait for a slow reader.
    upstream.on('close', () => client.destroySoon());
    client.on('close', () => upstream.destroySoon());
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.pipe(client);
    client.pipe(upstream);
  } catch (error) {
    const { status, message } = refusalOf(error);
    client.end(`HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${message}\n`);
  }
};

const connected = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const fail = (error?: Error): void => {
      socket.destroy();
      reject(error ?? new Refusal(504, 'the destination did not answer in time'));
    };
    socket.once('error', fail);
    socket.once('timeout', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.off('timeout', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
  readonly open: Set<Duplex>;
}

/** Headers that concern the connection to the proxy only. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'upgrade',
]);

const forward = async (
  { incoming, answer, open }: Forwarding,
  network: SandboxNetwork,
  deps: EgressDeps,
): Promise<void> => {
  try {
    const destination = parseTarget(incoming.url ?? '');
    const address = await checkedAddress(network, destination, deps);
    if (answer.destroyed) return;
    const url = new URL(incoming.url ?? '');
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP_HEADERS.has(name)));
    const { port = 0 } = destination ?? {};
    const upstream = request({
      host: address,
      port,
      method: incoming.method,
      path: `${url.pathname}${url.search}`,
      // The name that was checked, whatever the client wrote.
      headers: { ...headers, host: url.host },
      // A connection of its own: one that is shared would end with the sandbox that opened it.
      agent: false,
      timeout: CONNECT_MS,
    });
    upstream.on('socket', (socket) => {
      track(open, socket);
      socket.once('connect', () => upstream.setTimeout(0));
    });
    upstream.on('timeout', () => upstream.destroy(new Refusal(504, 'the destination did not answer in time')));
    upstream.on('error', (error) => refuse(answer, error));
    upstream.on('response', (response) => passOn(response, answer));
    answer.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  } catch (error) {
    refuse(answer, error);
  }
};

const passOn = (response: IncomingMessage, answer: ServerResponse): void => {
  response.on('error', () => answer.destroy());
  try {
    // Trailers are not passed on.
    const { trailer: _unused, ...headers } = response.headers;
    answer.writeHead(response.statusCode ?? 0, headers);
    response.pipe(answer);
  } catch (error) {
    // Node reads statuses that it does not write. Nothing else would catch this error of a foreign server.
    response.destroy();
    refuse(answer, Object.assign(new Refusal(502, 'the answer of the destination is malformed'), { cause: error }));
  }
};

const refuse = (answer: ServerResponse, error: unknown): void => {
  const { status, message } = refusalOf(error);
  if (answer.headersSent) return void answer.destroy();
  answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  answer.end(`${message}\n`);
};
