import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { HostedMachine, HostedVolumes } from './hosted-machine.ts';
import { answer, jsonOf, listen, type ServiceRequest, type ServiceServer } from './service-server.ts';

interface Machine {
  readonly id: string;
  readonly token: string;
  readonly created: Readonly<Record<string, unknown>>;
  readonly machine: HostedMachine;
  readonly mounts: ReadonlyMap<string, string>;
  readonly programs: Map<number, ChildProcess>;
  state: 'running' | 'paused';
  network: unknown;
}

export interface E2bServer extends ServiceServer {
  readonly key: string;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly volumes: HostedVolumes;
  /** What E2B does with sandboxes whose time is over. */
  pauseAll(): void;
}

const PAGE = 2;

/** One message of a stream of Connect: flags, length and JSON. */
const envelope = (flags: number, value: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(value));
  const header = Buffer.alloc(5);
  header.writeUInt8(flags, 0);
  header.writeUInt32BE(text.length, 1);
  return Buffer.concat([header, text]);
};

/** Speaks what the client of E2B asks of its API, and of the daemon inside of a sandbox. */
export const startE2b = async (): Promise<E2bServer> => {
  const key = `e2b_${randomUUID()}`;
  const machines = new Map<string, Machine>();
  const volumes = new HostedVolumes();
  const remove = (id: string): boolean => {
    machines.get(id)?.machine.close();
    return machines.delete(id);
  };
  const handle = (request: ServiceRequest): void => {
    const { url, headers } = request;
    if (url.pathname.startsWith('/process.Process/')) {
      const found = machines.get(String(headers['e2b-sandbox-id']));
      if (found?.state !== 'running') return answer(request, 502, { message: 'The sandbox was not found' });
      if (headers['x-access-token'] !== found.token) return answer(request, 401, { message: 'unauthorized' });
      return daemon(request, found);
    }
    if (headers['x-api-key'] !== key) return answer(request, 401, { code: 401, message: 'Invalid API key' });
    api(request, { machines, volumes, remove });
  };
  const server = await listen(handle);
  return Object.assign(server, {
    key,
    machines,
    volumes,
    pauseAll: () => {
      for (const machine of machines.values()) machine.state = 'paused';
    },
    close: async () => {
      for (const id of machines.keys()) remove(id);
      volumes.close();
      server.server.closeAllConnections();
      await new Promise<void>((resolve) => server.server.close(() => resolve()));
    },
  });
};

interface State {
  readonly machines: Map<string, Machine>;
  readonly volumes: HostedVolumes;
  readonly remove: (id: string) => boolean;
}

const shown = ({ id, token, created, state }: Machine) => ({
  sandboxID: id,
  templateID: created['templateID'],
  clientID: 'client',
  metadata: created['metadata'],
  startedAt: '2026-01-01T00:00:00Z',
  endAt: '2026-01-01T00:15:00Z',
  state,
  cpuCount: 2,
  memoryMB: 512,
  diskSizeMB: 512,
  envdVersion: '0.5.0',
  envdAccessToken: token,
});

const api = (request: ServiceRequest, { machines, volumes, remove }: State): void => {
  const { method, url } = request;
  const [, ...path] = url.pathname.replace(/^\/v2/, '').split('/');
  const [kind = '', id = '', verb = ''] = path;
  const route = `${method} ${kind}${verb === '' ? '' : `/${verb}`}`;
  if (kind === 'volumes') return volumesApi(request, volumes, id);
  if (route === 'POST sandboxes') {
    const created = jsonOf(request);
    const mounts = ((created['volumeMounts'] ?? []) as { name: string; path: string }[]).map(({ name, path }) => {
      const folder = volumes.all().find((volume) => volume.name === name)?.folder ?? '';
      return [path, folder] as const;
    });
    const made: Machine = {
      id: randomUUID(),
      token: randomUUID(),
      created,
      machine: new HostedMachine(),
      mounts: new Map(mounts),
      programs: new Map(),
      state: 'running',
      network: created['network'],
    };
    machines.set(made.id, made);
    return answer(request, 201, shown(made));
  }
  if (route === 'GET sandboxes') return listed(request, machines);
  const found = machines.get(id);
  if (found === undefined) return answer(request, 404, { code: 404, message: `sandbox ${id} not found` });
  if (route === 'DELETE sandboxes') {
    remove(id);
    return answer(request, 204);
  }
  if (route === 'POST sandboxes/connect') {
    found.state = 'running';
    return answer(request, 200, shown(found));
  }
  if (route === 'POST sandboxes/timeout') return answer(request, 204);
  if (route === 'PUT sandboxes/network') {
    found.network = jsonOf(request);
    return answer(request, 204);
  }
  answer(request, 404, { code: 404, message: `no ${method} ${url.pathname}` });
};

const listed = (request: ServiceRequest, machines: ReadonlyMap<string, Machine>): void => {
  const { url, response } = request;
  const wanted = [...new URLSearchParams(url.searchParams.get('metadata') ?? '')];
  const all = [...machines.values()].filter(({ created }) => {
    const metadata = (created['metadata'] ?? {}) as Record<string, string>;
    return wanted.every(([name, value]) => metadata[name] === value);
  });
  const from = Number(url.searchParams.get('nextToken') ?? 0);
  if (from + PAGE < all.length) response.setHeader('x-next-token', String(from + PAGE));
  answer(request, 200, all.slice(from, from + PAGE).map(shown));
};

const volumesApi = (request: ServiceRequest, volumes: HostedVolumes, id: string): void => {
  const view = ({ id: volumeID, name }: { readonly id: string; readonly name: string }) => ({ volumeID, name });
  if (request.method === 'GET') return answer(request, 200, volumes.all().map(view));
  if (request.method === 'POST')
    return answer(request, 201, { ...view(volumes.create(String(jsonOf(request)['name']))), token: 'volume' });
  answer(request, volumes.remove(id) ? 204 : 404, { code: 404, message: 'not found' });
};

const daemon = (request: ServiceRequest, found: Machine): void => {
  const { url, body, response } = request;
  if (url.pathname.endsWith('/Start')) {
    const { process: config } = JSON.parse(body.subarray(5).toString('utf8')) as {
      process: { cmd: string; args: string[] };
    };
    const child = found.machine.spawn([config.cmd, ...config.args], found.mounts);
    const pid = child.pid ?? 0;
    found.programs.set(pid, child);
    response.writeHead(200, { 'content-type': 'application/connect+json' });
    response.write(envelope(0, { event: { start: { pid } } }));
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (chunk: Buffer) => {
        if (response.write(envelope(0, { event: { data: { [name]: chunk.toString('base64') } } }))) return;
        child[name]?.pause();
        response.once('drain', () => child[name]?.resume());
      });
    child.on('close', (code, signal) => {
      found.programs.delete(pid);
      const end = { exitCode: code ?? -1, exited: code !== null, status: signal ?? `exit status ${code}` };
      response.write(envelope(0, { event: { end } }));
      response.end(envelope(2, {}));
    });
    return;
  }
  const {
    process: selector,
    input,
    signal,
  } = jsonOf(request) as {
    process: { pid: number };
    input?: { stdin: string };
    signal?: string;
  };
  const child = found.programs.get(selector.pid);
  if (child === undefined) return answer(request, 404, { code: 'not_found', message: 'process not found' });
  if (url.pathname.endsWith('/SendSignal')) {
    child.kill(signal === 'SIGNAL_SIGKILL' ? 'SIGKILL' : 'SIGTERM');
    return answer(request, 200, {});
  }
  child.stdin?.write(Buffer.from(input?.stdin ?? '', 'base64'), () => answer(request, 200, {}));
};
