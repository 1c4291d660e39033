import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { EngineError, type Labels } from './engine-requests.ts';
import type { EngineVolumes } from './engine-volumes.ts';

interface Mount {
  readonly Type: 'volume' | 'bind';
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly?: boolean;
  readonly VolumeOptions?: { readonly Labels?: Labels };
}

interface Body {
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly Labels?: Labels;
  readonly HostConfig?: {
    readonly NetworkMode?: string;
    readonly CapDrop?: readonly string[];
    readonly ReadonlyRootfs?: boolean;
    readonly Ulimits?: readonly { readonly Name: string; readonly Hard: number }[];
    readonly Mounts?: readonly Mount[];
  };
}

interface Container {
  readonly id: string;
  readonly body: Body;
  streams?: Duplex;
  process?: ChildProcess;
  isReady?: Promise<void>;
  exitCode?: number;
  readonly over: PromiseWithResolvers<number>;
}

const JAILER = 'bwrap';
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
const STREAM = { stdout: 1, stderr: 2 } as const;
const PATHS = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const framed = (stream: 'stdout' | 'stderr', bytes: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8(STREAM[stream], 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
};

/** Ends all processes of a container and waits until they did. */
const end = async ({ process, isReady, over }: Container): Promise<void> => {
  await isReady;
  process?.kill('SIGKILL');
  await over.promise;
};

/**
 * The containers of an engine under test: jails of bubblewrap that are as open as the request leaves them, so that what a client forgets to close can be used.
 */
export class EngineContainers {
  readonly #volumes: EngineVolumes;
  readonly #containers = new Map<string, Container>();

  constructor(volumes: EngineVolumes) {
    this.#volumes = volumes;
  }

  has(id: string): boolean {
    return this.#containers.has(id);
  }

  create(body: Body): string {
    for (const { Type, Source } of body.HostConfig?.Mounts ?? [])
      if (Type === 'bind' && !existsSync(Source))
        throw new EngineError(400, `invalid mount config for type "bind": bind source path does not exist: ${Source}`);
    const id = randomBytes(32).toString('hex');
    this.#containers.set(id, { id, body, over: Promise.withResolvers() });
    return id;
  }

  attach(id: string, streams: Duplex): void {
    this.#get(id).streams = streams;
  }

  /** Runs the command of a container; nothing is answered. */
  start(id: string): undefined {
    const container = this.#get(id);
    const child = spawn(JAILER, this.#options(container.body), {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: {},
    });
    container.process = child;
    // Only a finished jail takes all its processes with it.
    container.isReady = new Promise((resolve) => {
      child.stdio[3]?.once('close', () => resolve());
      (child.stdio[3] as Readable).resume();
    });
    child.stdin?.on('error', () => undefined);
    const { streams } = container;
    streams?.on('error', () => undefined);
    if (streams !== undefined && child.stdin !== null) streams.pipe(child.stdin);
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (chunk: Buffer) => {
        if (streams?.writable === true) streams.write(framed(name, chunk));
      });
    child.on('close', (code, signal) => {
      streams?.end();
      container.exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
      container.over.resolve(container.exitCode);
    });
  }

  kill(id: string): undefined {
    const container = this.#get(id);
    if (container.process === undefined || container.exitCode !== undefined)
      throw new EngineError(409, `cannot kill container: ${id}: container ${id} is not running`);
    void end(container);
  }

  wait(id: string): Promise<number> {
    const container = this.#get(id);
    return container.process === undefined ? Promise.resolve(0) : container.over.promise;
  }

  inspect(id: string): unknown {
    const { exitCode, process, body } = this.#get(id);
    const Running = process !== undefined && exitCode === undefined;
    return { Id: id, State: { Running, ExitCode: exitCode ?? 0, OOMKilled: false }, Config: body };
  }

  list(isWanted: (labels: Labels) => boolean): readonly unknown[] {
    const found = [...this.#containers.values()].filter(({ body }) => isWanted(body.Labels ?? {}));
    return found.map(({ id, body, exitCode, process }) => ({
      Id: id,
      Labels: body.Labels ?? {},
      State: process === undefined ? 'created' : exitCode === undefined ? 'running' : 'exited',
    }));
  }

  async remove(id: string, isForced: boolean): Promise<void> {
    const container = this.#get(id);
    if (container.process === undefined) container.streams?.end();
    else if (container.exitCode === undefined) {
      if (!isForced) throw new EngineError(409, `cannot remove container "${id}": container is running`);
      await end(container);
    }
    this.#containers.delete(id);
  }

  useVolume(name: string): boolean {
    return [...this.#containers.values()].some(({ body }) =>
      body.HostConfig?.Mounts?.some(({ Type, Source }) => Type === 'volume' && Source === name),
    );
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const id of this.#containers.keys()) await this.remove(id, true);
  }

  #get(id: string): Container {
    const found = this.#containers.get(id);
    if (found === undefined) throw new EngineError(404, `No such container: ${id}`);
    return found;
  }

  #options({ User = '0:0', WorkingDir = '/', Entrypoint = [], Cmd = [], Env = [], HostConfig = {} }: Body): string[] {
    const { NetworkMode, CapDrop = [], ReadonlyRootfs, Mounts = [], Ulimits = [] } = HostConfig;
    const [uid = '0', gid = uid] = User.split(':');
    const isClosed = CapDrop.includes('ALL');
    const mounts = [...Mounts].sort((a, b) => (a.Target < b.Target ? -1 : 1));
    const fileBlocks = Math.floor((Ulimits.find(({ Name }) => Name === 'fsize')?.Hard ?? 2 ** 40) / 512);
    return [
      ...['--unshare-user', '--uid', uid, '--gid', gid, '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
      ...['--die-with-parent', '--new-session'],
      ...(NetworkMode === 'host' ? [] : ['--unshare-net']),
      ...(isClosed ? ['--cap-drop', 'ALL'] : ['--cap-add', 'ALL']),
      ...SYSTEM.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
      ...['--proc', '/proc', '--dev', '/dev', '--dir', '/tmp', '--dir', '/run'],
      ...mounts.flatMap((mount) => [
        mount.ReadOnly === true ? '--ro-bind' : '--bind',
        mount.Type === 'volume'
          ? this.#volumes.create(mount.Source, mount.VolumeOptions?.Labels ?? {}).Mountpoint
          : mount.Source,
        mount.Target,
      ]),
      ...(ReadonlyRootfs === true ? ['--remount-ro', '/'] : []),
      ...['--chdir', WorkingDir, '--clearenv'],
      ...[PATHS, ...Env].flatMap((pair) => {
        const at = pair.indexOf('=');
        return ['--setenv', pair.slice(0, at), pair.slice(at + 1)];
      }),
      ...['--', '/bin/sh', '-c', `exec 3>&-; ulimit -f ${fileBlocks}; exec "$@"`, 'sh', ...Entrypoint, ...Cmd],
    ];
  }
}
