import type { ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HostedMachine, HostedVolumes } from './hosted-machine.ts';
import { answer, jsonOf, listen, type ServiceRequest, type ServiceServer } from './service-server.ts';

interface Program {
  readonly child: ChildProcess;
  readonly logs: Buffer[];
  readonly watchers: Set<Duplex>;
  exitCode: number | undefined;
}

interface Machine {
  readonly id: string;
  readonly created: Readonly<Record<string, unknown>>;
  readonly machine: HostedMachine;
  readonly mounts: ReadonlyMap<string, string>;
  /** Programs by session: each has one here. */
  readonly sessions: Map<string, Program | undefined>;
  state: 'started' | 'stopped' | 'error' | 'destroyed';
  network: unknown;
}

export interface DaytonaServer extends ServiceServer {
  readonly key: string;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly volumes: HostedVolumes;
  /** What Daytona does with sandboxes that were not used: processes end, files stay. */
  stopAll(): void;
}

const COMMAND = 'cmd-1';
const PAGE = 2;
const PREFIX = { stdout: Buffer.from([1, 1, 1]), stderr: Buffer.from([2, 2, 2]) } as const;
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** One frame of a WebSocket as servers send them. */
const frame = (opcode: number, bytes: Buffer): Buffer => {
  const { length } = bytes;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header.writeUInt8(0x80 | opcode, 0);
  header.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127, 1);
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, bytes]);
};
const CLOSE = frame(8, Buffer.from([0x03, 0xe8]));

/** Speaks what the client of Daytona asks of its API, and of the daemon inside of a sandbox. */
export const startDaytona = async (): Promise<DaytonaServer> => {
  const key = `dtn_${randomUUID()}`;
  const machines = new Map<string, Machine>();
  const volumes = new HostedVolumes();
  const isKnown = (headers: IncomingMessage['headers']): boolean => headers.authorization === `Bearer ${key}`;
  const find = (name: string): Machine | undefined =>
    [...machines.values()].find(({ id, created }) => id === name || created['name'] === name);
  const handle = (request: ServiceRequest): void => {
    if (!isKnown(request.headers)) return answer(request, 401, { statusCode: 401, message: 'Unauthorized' });
    const { pathname } = request.url;
    if (pathname.startsWith('/toolbox/')) {
      const found = find(pathname.split('/')[2] ?? '');
      if (found?.state !== 'started') return answer(request, 404, { statusCode: 404, message: 'sandbox not found' });
      return toolbox(request, found);
    }
    if (pathname.startsWith('/api/volumes')) return volumesApi(request, volumes);
    api(request, { machines, volumes, find, url: server.url });
  };
  const server = await listen(handle, (request, socket) => {
    const [, , id = '', , , session = ''] = (request.url ?? '').split('/');
    const program = isKnown(request.headers) ? find(id)?.sessions.get(session) : undefined;
    follow(request, socket, program);
  });
  return Object.assign(server, {
    key,
    machines,
    volumes,
    stopAll: () => {
      for (const found of machines.values()) {
        for (const program of found.sessions.values()) program?.child.kill('SIGKILL');
        found.sessions.clear();
        found.state = 'stopped';
      }
    },
    close: async () => {
      for (const { machine } of machines.values()) machine.close();
      volumes.close();
      server.server.closeAllConnections();
      await new Promise<void>((resolve) => server.server.close(() => resolve()));
    },
  });
};

interface State {
  readonly machines: Map<string, Machine>;
  readonly volumes: HostedVolumes;
  readonly find: (name: string) => Machine | undefined;
  readonly url: string;
}

const shown = ({ id, created, state }: Machine, url: string) => ({
  id,
  organizationId: 'org',
  name: created['name'],
  user: 'daytona',
  env: {},
  labels: created['labels'],
  public: false,
  networkBlockAll: created['networkBlockAll'],
  target: 'us',
  cpu: 1,
  gpu: 0,
  memory: 1,
  disk: 3,
  state,
  toolboxProxyUrl: `${url}/toolbox`,
});

const api = (request: ServiceRequest, { machines, volumes, find, url }: State): void => {
  const { method, url: asked } = request;
  const [, , , name = '', verb = ''] = asked.pathname.split('/');
  if (name === '' && method === 'POST') {
    const created = jsonOf(request);
    if (find(String(created['name'])) !== undefined)
      return answer(request, 409, { statusCode: 409, message: 'a sandbox with this name exists' });
    const mounts = ((created['volumes'] ?? []) as { volumeId: string; mountPath: string }[]).map(
      ({ volumeId, mountPath }) => [mountPath, volumes.all().find(({ id }) => id === volumeId)?.folder ?? ''] as const,
    );
    const made: Machine = {
      id: randomUUID(),
      created,
      machine: new HostedMachine(),
      mounts: new Map(mounts),
      sessions: new Map(),
      state: 'started',
      network: { networkBlockAll: created['networkBlockAll'], domainAllowList: created['domainAllowList'] },
    };
    machines.set(made.id, made);
    return answer(request, 200, shown(made, url));
  }
  if (name === '') {
    const labels = Object.entries(JSON.parse(asked.searchParams.get('labels') ?? '{}') as Record<string, string>);
    const all = [...machines.values()].filter(({ created }) => {
      const own = (created['labels'] ?? {}) as Record<string, string>;
      return labels.every(([label, value]) => own[label] === value);
    });
    const from = Number(asked.searchParams.get('cursor') ?? 0);
    const items = all.slice(from, from + PAGE).map((one) => shown(one, url));
    return answer(request, 200, { items, nextCursor: from + PAGE < all.length ? String(from + PAGE) : null });
  }
  const found = find(name);
  if (found === undefined) return answer(request, 404, { statusCode: 404, message: `Sandbox ${name} not found` });
  if (method === 'DELETE') {
    found.machine.close();
    machines.delete(found.id);
    found.state = 'destroyed';
  }
  if (verb === 'start') found.state = 'started';
  if (verb === 'network-settings') found.network = jsonOf(request);
  answer(request, 200, shown(found, url));
};

const volumesApi = (request: ServiceRequest, volumes: HostedVolumes): void => {
  const { method, url } = request;
  const [, , , id = '', name = ''] = url.pathname.split('/');
  const view = (volume: { readonly id: string; readonly name: string }) => ({
    id: volume.id,
    name: volume.name,
    state: 'ready',
    organizationId: 'org',
    createdAt: '',
    updatedAt: '',
    errorReason: null,
  });
  if (method === 'POST') return answer(request, 200, view(volumes.create(String(jsonOf(request)['name']))));
  if (method === 'DELETE') return answer(request, volumes.remove(id) ? 200 : 404, {});
  if (id !== 'by-name') return answer(request, 200, volumes.all().map(view));
  const found = volumes.all().find((volume) => volume.name === decodeURIComponent(name));
  if (found === undefined) return answer(request, 404, { statusCode: 404, message: `Volume ${name} not found` });
  answer(request, 200, view(found));
};

const toolbox = (request: ServiceRequest, found: Machine): void => {
  const { method, url } = request;
  const [, , , , , session = '', what = '', , verb = ''] = url.pathname.split('/');
  if (session === '') {
    found.sessions.set(String(jsonOf(request)['sessionId']), undefined);
    return answer(request, 201, {});
  }
  if (!found.sessions.has(session)) return answer(request, 404, { statusCode: 404, message: 'session not found' });
  const program = found.sessions.get(session);
  if (what === 'exec') {
    found.sessions.set(session, begin(found, String(jsonOf(request)['command'])));
    return answer(request, 202, { cmdId: COMMAND });
  }
  if (method === 'DELETE') {
    program?.child.kill('SIGKILL');
    found.sessions.delete(session);
    return answer(request, 204);
  }
  if (verb === 'input' && program?.exitCode !== undefined)
    return answer(request, 410, { statusCode: 410, message: 'command is completed' });
  program?.child.stdin?.write(String(jsonOf(request)['data']), () => answer(request, 204));
};

const begin = (found: Machine, line: string): Program => {
  const child = found.machine.spawn(['/bin/sh', '-c', line], found.mounts);
  const program: Program = { child, logs: [], watchers: new Set(), exitCode: undefined };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => {
      const bytes = frame(2, Buffer.concat([PREFIX[name], chunk]));
      program.logs.push(bytes);
      for (const watcher of program.watchers) watcher.write(bytes);
    });
  child.on('close', (code) => {
    program.exitCode = code ?? 137;
    for (const watcher of program.watchers) watcher.end(CLOSE);
  });
  return program;
};

/** Sends the log of a program over a WebSocket, from its beginning to its end. */
const follow = (request: IncomingMessage, socket: Duplex, program: Program | undefined): void => {
  socket.on('error', () => undefined);
  if (program === undefined) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${HANDSHAKE}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket.resume();
  for (const bytes of program.logs) socket.write(bytes);
  if (program.exitCode !== undefined) return void socket.end(CLOSE);
  program.watchers.add(socket);
  socket.on('close', () => program.watchers.delete(socket));
};
