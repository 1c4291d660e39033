import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { EngineContainers } from './engine-containers.ts';
import { EngineError, type EngineRequest, json, type Labels, matchesLabels } from './engine-requests.ts';
import { EngineVolumes } from './engine-volumes.ts';

/** What a test changes of an engine. */
export interface EngineFaults {
  /** Answers a request instead of the engine: `METHOD /path` without version and query; undefined = the engine answers. */
  intercept?: (request: string, answer: ServerResponse | Duplex) => boolean;
  /** Images that can be pulled; any other is refused. */
  pullable: Set<string>;
  info: Record<string, unknown>;
}

/** A server that speaks the HTTP API of a Docker engine on a Unix socket; its containers are jails of bubblewrap. */
export interface EngineServer {
  readonly socket: string;
  readonly images: Set<string>;
  readonly faults: EngineFaults;
  /** What containers were asked for, as they came. */
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  readonly containers: EngineContainers;
  readonly volumes: EngineVolumes;
  close(): Promise<void>;
}

const INFO = {
  OSType: 'linux',
  CgroupVersion: '2',
  SecurityOptions: ['name=seccomp,profile=builtin', 'name=cgroupns'],
  MemoryLimit: true,
  CpuCfsQuota: true,
  PidsLimit: true,
};

/** Starts an engine with the given images. */
export const startEngine = async (...images: readonly string[]): Promise<EngineServer> => {
  const root = mkdtempSync(join(tmpdir(), 'svc-engine-'));
  const socket = join(root, 'docker.sock');
  const volumes = new EngineVolumes(join(root, 'volumes'));
  const containers = new EngineContainers(volumes);
  const state = {
    images: new Set(images),
    faults: { pullable: new Set<string>(), info: INFO } as EngineFaults,
    asked: [] as Readonly<Record<string, unknown>>[],
    containers,
    volumes,
  };
  const server = createServer((incoming, answer) => {
    void received(incoming).then((request) => respond(state, request, answer));
  });
  server.on('upgrade', (incoming, stream) => {
    const { method, path } = parsed(incoming);
    if (state.faults.intercept?.(`${method} ${path}`, stream) === true) return;
    const id = /^\/containers\/([^/]+)\/attach$/.exec(path)?.[1] ?? '';
    if (!containers.has(id)) return void stream.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    stream.write(
      'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.multiplexed-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    );
    containers.attach(id, stream);
  });
  await new Promise<void>((resolve) => server.listen(socket, () => resolve()));
  return {
    ...state,
    socket,
    close: async () => {
      await containers.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(root, { recursive: true, force: true });
    },
  };
};

const parsed = ({ method = '', url = '' }: IncomingMessage) => {
  const { pathname, searchParams } = new URL(url, 'http://engine');
  return { method, path: decodeURIComponent(pathname.replace(/^\/v1\.\d+/, '')), query: searchParams };
};

const received = async (incoming: IncomingMessage): Promise<EngineRequest> => {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return { ...parsed(incoming), body: text === '' ? {} : JSON.parse(text) };
};

type State = Omit<EngineServer, 'close' | 'socket' | 'asked'> & { readonly asked: Readonly<Record<string, unknown>>[] };

const respond = async (state: State, request: EngineRequest, answer: ServerResponse): Promise<void> => {
  const { method, path } = request;
  if (state.faults.intercept?.(`${method} ${path}`, answer) === true) return;
  try {
    await (route(state, request, answer) ?? json(answer, 404, { message: 'page not found' }));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    json(answer, error.status, { message: error.message });
  }
};

/** Answers a request; undefined for one that the engine does not know. */
const route = (state: State, request: EngineRequest, answer: ServerResponse): Promise<true> | true | undefined => {
  const { path } = request;
  if (path === '/version') return json(answer, 200, { Version: '27.5.1', ApiVersion: '1.47', Os: 'linux' });
  if (path === '/info') return json(answer, 200, state.faults.info);
  if (path === '/system/df')
    return json(answer, 200, request.query.get('type') === 'volume' ? { Volumes: state.volumes.usage() } : {});
  if (path.startsWith('/images/')) return image(state, request, answer);
  if (path.startsWith('/volumes')) return volume(state, request, answer);
  return path.startsWith('/containers/') ? container(state, request, answer) : undefined;
};

const image = ({ images, faults }: State, { method, path, query }: EngineRequest, answer: ServerResponse) => {
  const name = /^\/images\/(.+)\/json$/.exec(path)?.[1] ?? '';
  if (method === 'GET' && images.has(name)) return json(answer, 200, { Id: 'sha256:0', RepoTags: [name] });
  if (method === 'GET') throw new EngineError(404, `No such image: ${name}`);
  const wanted = `${query.get('fromImage')}:${query.get('tag')}`;
  if (wanted.startsWith('private/')) throw new EngineError(404, `pull access denied for ${wanted}`);
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.write(`${JSON.stringify({ status: `Pulling from ${query.get('fromImage')}`, id: query.get('tag') })}\r\n`);
  // What goes wrong later is said inside of an answer that began well.
  if (faults.pullable.has(wanted)) images.add(wanted);
  else {
    const error = 'toomanyrequests: rate limit exceeded';
    answer.write(`${JSON.stringify({ errorDetail: { message: error }, error })}\r\n`);
  }
  answer.end();
  return true;
};

const volume = (
  { volumes, containers }: State,
  { method, path, query, body }: EngineRequest,
  answer: ServerResponse,
) => {
  const name = path.slice('/volumes/'.length);
  if (method === 'POST') return json(answer, 201, volumes.create(String(body['Name']), body['Labels'] as Labels));
  if (method === 'DELETE') {
    if (containers.useVolume(name)) throw new EngineError(409, `remove ${name}: volume is in use`);
    volumes.remove(name, query.get('force') === 'true' || query.get('force') === '1');
    return empty(answer);
  }
  if (name !== '') return json(answer, 200, volumes.get(name));
  return json(answer, 200, {
    Volumes: volumes.all().filter(({ Labels }) => matchesLabels(Labels, query)),
    Warnings: null,
  });
};

const container = (state: State, request: EngineRequest, answer: ServerResponse): Promise<true> | true | undefined => {
  const { containers, images, asked } = state;
  const { method, path, query, body } = request;
  if (path === '/containers/json')
    return json(
      answer,
      200,
      containers.list((labels) => matchesLabels(labels, query)),
    );
  if (path === '/containers/create') {
    if (!images.has(String(body['Image'])) && !images.has(`${body['Image']}:latest`))
      throw new EngineError(404, `No such image: ${body['Image']}`);
    asked.push(body);
    return json(answer, 201, { Id: containers.create(body), Warnings: [] });
  }
  const [, id = '', verb = ''] = /^\/containers\/([^/]+)\/?([a-z]*)$/.exec(path) ?? [];
  if (!containers.has(id)) throw new EngineError(404, `No such container: ${id}`);
  if (method === 'DELETE') return containers.remove(id, query.get('force') === 'true').then(() => empty(answer));
  if (verb === 'json') return json(answer, 200, containers.inspect(id));
  if (verb === 'start') return containers.start(id) ?? empty(answer);
  if (verb === 'kill') return containers.kill(id) ?? empty(answer);
  if (verb === 'wait') return containers.wait(id).then((StatusCode) => json(answer, 200, { StatusCode, Error: null }));
  return undefined;
};

const empty = (answer: ServerResponse): true => {
  answer.writeHead(204).end();
  return true;
};
