import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { type Clock, Fault } from '../../base/index.ts';
import type { ContainerBody } from './container-rules.ts';
import { connectionProblem, type EngineFacts, imageProblem } from './docker-remedy-rules.ts';

/** How long an answer of the engine may take; what lasts as long as a command has no such limit. */
const ANSWER_MS = 60_000;
const PULL_MS = 900_000;
/** Of the engine's own words. */
const WORDS_CHARS = 300;
/** Of one line of the progress of a pull. */
const LINE_CHARS = 65_536;
/** Stands for a pull that began and failed. */
const PULL_FAILED = 500;

export interface EngineDeps {
  /** Path of the Unix socket on which the engine listens. */
  readonly socket: string;
  readonly clock: Pick<Clock, 'after'>;
}

/** What labels select. */
export type LabelFilter = Readonly<Record<string, string>>;

interface EngineError {
  readonly statusCode?: number;
  readonly json?: unknown;
  readonly code?: string;
  readonly message: string;
}

const wordsOf = ({ json, message }: EngineError): string => {
  const said = (json as { readonly message?: unknown } | null | undefined)?.message;
  return (typeof said === 'string' ? said : message).trim().slice(0, WORDS_CHARS);
};

const unavailable = (message: string, cause?: unknown): Fault =>
  new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message, { cause });

const filters = (labels: LabelFilter) => ({
  filters: { label: Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`)) },
});

/**
 * What sandboxes need of a Docker engine. Loads its client with the first call. Every failure is a Fault UNAVAILABLE SANDBOX_PROVIDER that
 * says what to do about it or what the engine said.
 */
export class DockerEngine {
  readonly #deps: EngineDeps;
  #client: Promise<Dockerode> | undefined;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  /** What the engine is and can do. */
  facts(): Promise<EngineFacts> {
    return this.#ask('describe itself', async (docker) => {
      const [version, info] = await Promise.all([docker.version(), docker.info()]);
      const options: readonly string[] = info.SecurityOptions ?? [];
      return {
        version: version.Version,
        system: info.OSType,
        cgroupVersion: String(info.CgroupVersion ?? '1'),
        isRootless: options.some((option) => option.startsWith('name=rootless')),
        limits: {
          memory: info.MemoryLimit === true,
          processors: info.CpuCfsQuota === true,
          processes: info.PidsLimit === true,
        },
      };
    });
  }

  /** Makes sure that the engine has an image; pulls it where the class allows that. */
  async ensureImage(image: string, mayPull: boolean): Promise<void> {
    const found = await this.#askFor('look for an image', (docker, abortSignal) =>
      docker.getImage(image).inspect({ abortSignal } as object),
    );
    if (found !== undefined) return;
    if (!mayPull) throw unavailable(imageProblem(image, ''));
    await this.#answered(PULL_MS, async (docker, abortSignal) => {
      try {
        await followed(await docker.pull(image, { abortSignal }));
        await docker.getImage(image).inspect();
      } catch (error) {
        const failure = error as EngineError;
        if (failure.statusCode === undefined) throw this.#faultOf('pull an image', error);
        throw unavailable(imageProblem(image, wordsOf(failure)), error);
      }
    });
  }

  async createVolume(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask('make a volume', (docker, abortSignal) =>
      docker.createVolume({ Name: name, Driver: 'local', Labels: { ...labels }, abortSignal }),
    );
  }

  async hasVolume(name: string): Promise<boolean> {
    const found = await this.#askFor('look for a volume', (docker, abortSignal) =>
      docker.getVolume(name).inspect({ abortSignal }),
    );
    return found !== undefined;
  }

  /** Labels of volumes by their names. */
  async volumes(labels: LabelFilter): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
    const { Volumes } = await this.#ask('list volumes', (docker, abortSignal) =>
      docker.listVolumes({ ...filters(labels), abortSignal }),
    );
    return new Map((Volumes ?? []).map(({ Name, Labels }) => [Name, Labels ?? {}]));
  }

  async removeVolume(name: string): Promise<void> {
    await this.#askFor('remove a volume', (docker, abortSignal) =>
      docker.getVolume(name).remove({ force: true, abortSignal }),
    );
  }

  /** Bytes in volumes by their names; the engine counts them when it is asked. */
  volumeBytes(): Promise<ReadonlyMap<string, number>> {
    return this.#ask('count volumes', async (docker) => {
      const { Volumes } = await usage(docker);
      return new Map((Volumes ?? []).map(({ Name, UsageData }) => [Name, Math.max(0, UsageData?.Size ?? 0)]));
    });
  }

  async createContainer(body: ContainerBody): Promise<string> {
    const { id } = await this.#ask('make a container', (docker, abortSignal) =>
      docker.createContainer({ ...body, abortSignal }),
    );
    return id;
  }

  /** The streams of a container; from before its start, so that nothing is missed. */
  attach(id: string): Promise<Duplex> {
    const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
    return this.#ask('attach to a container', (docker) => docker.getContainer(id).attach(options)) as Promise<Duplex>;
  }

  async start(id: string): Promise<void> {
    await this.#ask('start a container', (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }));
  }

  /** Exit code of a container that was started, once it ended. */
  async wait(id: string): Promise<number> {
    const docker = await this.#load();
    try {
      const answer = (await docker.getContainer(id).wait()) as { readonly StatusCode: number };
      return answer.StatusCode;
    } catch (error) {
      throw this.#faultOf('wait for a container', error);
    }
  }

  /** Ends all processes of a container; nothing happens where it ended by itself. */
  async kill(id: string): Promise<void> {
    await this.#askFor(
      'end a container',
      (docker, abortSignal) => docker.getContainer(id).kill({ signal: 'SIGKILL', abortSignal }),
      [404, 409],
    );
  }

  /** Whether the kernel ended a process of a container for want of memory. */
  async wasShortOfMemory(id: string): Promise<boolean> {
    const found = await this.#askFor('look at a container', (docker, abortSignal) =>
      docker.getContainer(id).inspect({ abortSignal }),
    );
    return found?.State.OOMKilled === true;
  }

  /** Labels of containers by their ids, whether they run or not. */
  async containers(labels: LabelFilter): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
    const found = await this.#ask('list containers', (docker, abortSignal) =>
      docker.listContainers({ all: true, ...filters(labels), abortSignal }),
    );
    return new Map(found.map(({ Id, Labels }) => [Id, Labels]));
  }

  /** Ends a container and removes it. */
  async removeContainer(id: string): Promise<void> {
    // 409: it is being removed already.
    await this.#askFor(
      'remove a container',
      (docker, abortSignal) => docker.getContainer(id).remove({ force: true, abortSignal }),
      [404, 409],
    );
  }

  #load(): Promise<Dockerode> {
    this.#client ??= import('dockerode').then(({ default: Client }) => {
      const { socket } = this.#deps;
      // Named one by one, or the variables of the environment would say where the engine is.
      return new Client({ socketPath: socket, protocol: 'http', host: undefined, timeout: undefined } as never);
    });
    return this.#client;
  }

  /** Asks something whose answer may be that there is no such thing: undefined. */
  async #askFor<T>(
    what: string,
    work: (docker: Dockerode, signal: AbortSignal) => Promise<T>,
    absent: readonly number[] = [404],
  ): Promise<T | undefined> {
    return this.#ask(what, async (docker, signal) => {
      try {
        return await work(docker, signal);
      } catch (error) {
        if (absent.includes((error as EngineError).statusCode ?? 0)) return undefined;
        throw error;
      }
    });
  }

  async #ask<T>(what: string, work: (docker: Dockerode, signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await this.#answered(ANSWER_MS, work);
    } catch (error) {
      throw this.#faultOf(what, error);
    }
  }

  /** Rejects when the engine does not answer in time. */
  async #answered<T>(timeoutMs: number, work: (docker: Dockerode, signal: AbortSignal) => Promise<T>): Promise<T> {
    const docker = await this.#load();
    const ends = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#deps.clock.after(timeoutMs, () => {
      reject(unavailable(`the Docker engine did not answer within ${timeoutMs / 1_000} s`));
      ends.abort();
    });
    try {
      return await Promise.race([work(docker, ends.signal), promise]);
    } finally {
      cancel();
    }
  }

  #faultOf(what: string, error: unknown): Fault {
    if (error instanceof Fault) return error;
    const { statusCode, code = '' } = error as EngineError;
    if (statusCode === undefined) return unavailable(connectionProblem(code, this.#deps.socket), error);
    return unavailable(`the Docker engine refused to ${what}: ${wordsOf(error as EngineError)}`, error);
  }
}

interface Usage {
  readonly Volumes?: readonly { readonly Name: string; readonly UsageData?: { readonly Size?: number } }[] | null;
}

/** What volumes use. The client has no way to ask for these alone. */
const usage = (docker: Dockerode): Promise<Usage> =>
  new Promise((resolve, reject) => {
    const question = { path: '/system/df?', method: 'GET', options: { type: 'volume' } };
    docker.modem.dial({ ...question, statusCodes: { 200: true, 500: 'server error' } }, (error, answer) =>
      error === null ? resolve(answer as Usage) : reject(error),
    );
  });

/** A pull is over when its stream of lines is; what went wrong is said inside of it. */
const followed = async (progress: NodeJS.ReadableStream): Promise<void> => {
  let rest = '';
  for await (const chunk of progress) {
    const lines = (rest + String(chunk)).slice(-LINE_CHARS).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = /"error"\s*:/.test(line) ? textOf(line) : '';
      if (said !== '') throw Object.assign(new Error(said), { statusCode: PULL_FAILED });
    }
  }
};

/** The error that a line of a pull reports. */
const textOf = (line: string): string => {
  try {
    const { error } = JSON.parse(line) as { readonly error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return line;
  }
};
