import { PassThrough } from 'node:stream';
import { type Clock, Fault } from '../../base/index.ts';
import type {
  FileAccess,
  ProviderReport,
  SandboxCommand,
  SandboxEnd,
  SandboxEntry,
  SandboxPlan,
  SandboxProcess,
  SandboxProvider,
  SandboxResult,
} from '../contract.ts';

/** Files of one place, by path. */
type Files = Map<string, Uint8Array>;

interface DemoBackend {
  readonly own: Files;
  /** Aborted when it is destroyed. */
  readonly ends: AbortController;
  readonly plan: SandboxPlan;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const EMPTY = new Uint8Array();

/**
 * Sandboxes in memory that run no code, for tests and demonstrations. A command is a line of a small language, from standard input or the last of its argv:
 * `echo TEXT`, `cat PATH`, `write PATH TEXT`, `env NAME`, `fail CODE TEXT`, `hang`, `mirror` (writes what it reads), `vanish` (the backend
 * is lost). Anything else is not found, 127.
 */
export class DemoProvider implements SandboxProvider {
  readonly name = 'demo';
  readonly #clock: Pick<Clock, 'after'>;
  readonly #backends = new Map<string, DemoBackend>();
  readonly #volumes = new Map<string, Files>();

  constructor(deps: { readonly clock: Pick<Clock, 'after'> }) {
    this.#clock = deps.clock;
  }

  async probe(): Promise<ProviderReport> {
    return { isAvailable: true, message: 'in memory; runs no code' };
  }

  async create(plan: SandboxPlan): Promise<'created' | 'present'> {
    if (plan.volume !== '' && !this.#volumes.has(plan.volume)) this.#volumes.set(plan.volume, new Map());
    if (this.#backends.has(plan.id)) return 'present';
    this.#backends.set(plan.id, { plan, own: new Map(), ends: new AbortController() });
    return 'created';
  }

  async exists(id: string): Promise<boolean> {
    return this.#backends.has(id);
  }

  async exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
    const files = this.#files(plan);
    const [verb = '', ...rest] = lineOf(command).split(' ');
    const text = rest.join(' ');
    const path = this.#path(plan, rest[0] ?? '');
    const answer = (exitCode: number, stdout: string, stderr = ''): SandboxResult =>
      cut({ exitCode, stdout: bytes(stdout), stderr: bytes(stderr), isCut: false, endedBy: 'exit' }, plan, command);
    if (signal.aborted) return killed('stopped');
    if (verb === 'echo') return answer(0, `${text}\n`);
    if (verb === 'env') return answer(0, `${{ ...plan.env, ...command.env }[text] ?? ''}\n`);
    if (verb === 'fail') return answer(Number(rest[0]), '', `${rest.slice(1).join(' ')}\n`);
    if (verb === 'hang') return this.#hang(command.timeoutMs, signal);
    if (verb === 'write') {
      files.set(path, bytes(rest.slice(1).join(' ')));
      return answer(0, '');
    }
    if (verb === 'vanish') {
      await this.destroy(plan.id);
      return answer(0, '');
    }
    const found = verb === 'cat' ? files.get(path) : undefined;
    if (found !== undefined) return answer(0, Buffer.from(found).toString('utf8'));
    return verb === 'cat' ? answer(1, '', `${path}: no such file\n`) : answer(127, '', `${verb}: not found\n`);
  }

  async start(plan: SandboxPlan, command: SandboxCommand, stop: AbortSignal): Promise<SandboxProcess> {
    const [verb = ''] = lineOf(command).split(' ');
    const signal = AbortSignal.any([stop, this.#backend(plan).ends.signal]);
    const pipe = new PassThrough();
    const write = async (chunk: Uint8Array): Promise<void> => {
      if (verb === 'mirror' && !pipe.writableEnded) pipe.write(chunk);
    };
    const stopped = new Promise<SandboxResult>((resolve) => {
      const kill = (): void => resolve(killed('stopped'));
      if (signal.aborted) kill();
      else signal.addEventListener('abort', kill, { once: true });
    });
    const running = verb === 'mirror' ? finished(pipe) : this.exec(plan, command, signal);
    const ended = Promise.race([running, stopped]).then((result) => {
      pipe.end(result.stdout);
      return { ...result, stdout: EMPTY };
    });
    return { stdout: pipe, write, closeInput: () => void (verb === 'mirror' && pipe.end()), ended };
  }

  async readFile(plan: SandboxPlan, path: string, access: FileAccess): Promise<Uint8Array> {
    const found = this.#files(plan).get(this.#path(plan, path));
    if (found === undefined) throw new Fault('NOT_FOUND', 'SANDBOX_FILE_NOT_FOUND', `the sandbox has no ${path}`);
    const limitBytes = access.limitBytes ?? plan.limits.outputBytes;
    if (found.length > limitBytes)
      throw new Fault('FAILED_PRECONDITION', 'TOO_LARGE', `${path} has more than ${limitBytes} bytes`);
    return found;
  }

  async writeFile(plan: SandboxPlan, path: string, access: FileAccess & { readonly bytes: Uint8Array }): Promise<void> {
    this.#files(plan).set(this.#path(plan, path), access.bytes);
  }

  async listFiles(plan: SandboxPlan, path: string, access: FileAccess): Promise<readonly SandboxEntry[]> {
    const folder = `${this.#path(plan, path).replace(/\/$/, '')}/`;
    const found = new Map<string, SandboxEntry>();
    for (const [name, content] of this.#files(plan)) {
      if (!name.startsWith(folder)) continue;
      const [first = '', ...deeper] = name.slice(folder.length).split('/');
      const isFile = deeper.length === 0;
      found.set(first, { name: first, type: isFile ? 'file' : 'directory', sizeBytes: isFile ? content.length : 0 });
    }
    if (found.size === 0 && folder !== `${plan.mountPath}/`)
      throw new Fault('NOT_FOUND', 'SANDBOX_FILE_NOT_FOUND', `the sandbox has no ${path}`);
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, access.limitEntries);
  }

  installCommands(packages: readonly string[]): readonly (readonly string[])[] {
    return packages.map((name) => [
      name === 'missing' ? `fail 1 no package ${name}` : `write .packages/${name} installed`,
    ]);
  }

  async destroy(id: string): Promise<void> {
    this.#backends.get(id)?.ends.abort();
    this.#backends.delete(id);
  }

  async destroyVolume(volume: string): Promise<void> {
    this.#volumes.delete(volume);
  }

  async list(): ReturnType<SandboxProvider['list']> {
    return { backends: [...this.#backends.keys()], volumes: [...this.#volumes.keys()] };
  }

  #backend(plan: SandboxPlan): DemoBackend {
    const backend = this.#backends.get(plan.id);
    if (backend === undefined) throw new Fault('UNAVAILABLE', 'SANDBOX_LOST', 'the sandbox is gone');
    return backend;
  }

  #files(plan: SandboxPlan): Files {
    const { own } = this.#backend(plan);
    return this.#volumes.get(plan.volume) ?? own;
  }

  #path(plan: SandboxPlan, path: string): string {
    return path.startsWith('/') ? path : `${plan.mountPath}/${path}`;
  }

  #hang(timeoutMs: number, signal: AbortSignal): Promise<SandboxResult> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, () => resolve(killed('timeout')));
      signal.addEventListener('abort', () => {
        cancel();
        resolve(killed('stopped'));
      });
    });
  }
}

const finished = (pipe: PassThrough): Promise<SandboxResult> =>
  new Promise((resolve) => {
    pipe.once('finish', () => resolve({ exitCode: 0, stdout: EMPTY, stderr: EMPTY, isCut: false, endedBy: 'exit' }));
  });

/** A program that is read from standard input, else the last argument. */
const lineOf = ({ stdin, argv }: SandboxCommand): string =>
  stdin === undefined ? (argv.at(-1) ?? '') : Buffer.from(stdin).toString('utf8').trim();

const killed = (endedBy: SandboxEnd): SandboxResult => ({
  exitCode: 137,
  stdout: EMPTY,
  stderr: EMPTY,
  isCut: false,
  endedBy,
});

const cut = (result: SandboxResult, plan: SandboxPlan, command: SandboxCommand): SandboxResult => {
  const limit = command.outputBytes ?? plan.limits.outputBytes;
  const isCut = result.stdout.length > limit || result.stderr.length > limit;
  return { ...result, stdout: result.stdout.subarray(0, limit), stderr: result.stderr.subarray(0, limit), isCut };
};
