import type { CommandHandle, E2B, Sandbox } from 'e2b';
import type { SandboxNetwork, SandboxPlan } from '../contract.ts';
import {
  type HostedSandbox,
  type HostedService,
  LIFE_MS,
  type RemoteProgram,
  type ServiceDeps,
  type TakeText,
} from './contract.ts';
import { namePrefix } from './remote-script-rules.ts';
import { type ErrorMeaning, loadClient, ServiceCalls } from './service-calls.ts';

type LoadE2b = () => Promise<Pick<typeof import('e2b'), 'E2B'>>;

/** How sandboxes say whose they are. */
const INSTANCE = 'svcInstance';
const SANDBOX = 'svcSandbox';
/** Everywhere; what is allowed wins over what is denied. */
const EVERYWHERE = '0.0.0.0/0';
/** Addresses that are not public. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
const CREATE_MS = 300_000;

const meaningOf = (error: unknown): ErrorMeaning => {
  const name = error instanceof Error ? error.constructor.name : '';
  if (name.endsWith('NotFoundError')) return 'gone';
  return name === 'AuthenticationError' ? 'refused' : 'other';
};

/** What the processes of a sandbox reach, as E2B says it. */
const networkOf = (network: SandboxNetwork): { readonly allowOut?: string[]; readonly denyOut: string[] } => {
  if (network.mode === 'hosts') return { allowOut: [...network.hosts], denyOut: [EVERYWHERE] };
  return { denyOut: network.mode === 'public' ? [...PRIVATE] : [EVERYWHERE] };
};

/** Sandboxes at E2B, by its client. One that is not used is paused with its files, and wakes with the next use. */
export class E2bService implements HostedService {
  readonly #deps: ServiceDeps;
  readonly #load: LoadE2b;
  readonly #calls: ServiceCalls;
  /** Their ids at E2B, by those of the plans. */
  readonly #known = new Map<string, string>();
  #client: { readonly apiKey: string; readonly client: E2B } | undefined;

  constructor(deps: ServiceDeps, load: LoadE2b = () => import('e2b')) {
    this.#deps = deps;
    this.#load = load;
    this.#calls = new ServiceCalls({ title: 'E2B', clock: deps.clock, meaningOf });
  }

  async probe(): Promise<void> {
    const client = await this.#open();
    await this.#calls.ask('list sandboxes', () => client.Sandbox.list({ limit: 1 }).nextItems());
  }

  async create(plan: SandboxPlan): Promise<HostedSandbox> {
    const { instance, settings } = this.#deps;
    const client = await this.#open();
    const volume = plan.volume === '' ? undefined : await this.#volume(client, plan.volume);
    const template = plan.image === '' ? settings.template : plan.image;
    const sandbox = await this.#calls.ask(
      'make a sandbox',
      () =>
        client.Sandbox.create(template, {
          metadata: { [INSTANCE]: instance, [SANDBOX]: plan.id },
          timeoutMs: LIFE_MS,
          requestTimeoutMs: CREATE_MS,
          lifecycle: { onTimeout: 'pause', autoResume: false },
          network: { ...networkOf(plan.network), allowPublicTraffic: false },
          ...(volume === undefined ? {} : { volumeMounts: { [plan.mountPath]: volume } }),
        }),
      CREATE_MS,
    );
    this.#known.set(plan.id, sandbox.sandboxId);
    return this.#sandbox(client, sandbox);
  }

  async open(id: string): Promise<HostedSandbox | undefined> {
    const client = await this.#open();
    const known = this.#known.get(id);
    const opened = known === undefined ? undefined : await this.#connect(client, known);
    if (opened !== undefined) return opened;
    this.#known.delete(id);
    for (const found of await this.#named(client, id)) {
      const sandbox = await this.#connect(client, found);
      if (sandbox === undefined) continue;
      this.#known.set(id, found);
      return sandbox;
    }
    return undefined;
  }

  async remove(id: string): Promise<void> {
    const client = await this.#open();
    this.#known.delete(id);
    for (const found of await this.#named(client, id))
      await this.#calls.find('remove a sandbox', () => client.Sandbox.kill(found));
  }

  async removeVolume(volume: string): Promise<void> {
    const client = await this.#open();
    for (const { name, volumeId } of await this.#volumes(client))
      if (name === this.#volumeName(volume))
        await this.#calls.find('remove a volume', () => client.Volume.destroy(volumeId));
  }

  async list(): ReturnType<HostedService['list']> {
    const client = await this.#open();
    const { instance } = this.#deps;
    const found = await this.#all(client, { [INSTANCE]: instance });
    const prefix = this.#volumeName('');
    const volumes = (await this.#volumes(client)).map(({ name }) => name).filter((name) => name.startsWith(prefix));
    return {
      backends: [...new Set(found.map(({ metadata }) => metadata[SANDBOX] ?? ''))].filter((id) => id !== ''),
      volumes: volumes.map((name) => name.slice(prefix.length)),
    };
  }

  #volumeName(volume: string): string {
    return `${namePrefix(this.#deps.instance)}${volume}`;
  }

  #volumes(client: E2B) {
    return this.#calls.ask('list volumes', () => client.Volume.list());
  }

  async #volume(client: E2B, volume: string): Promise<string> {
    const name = this.#volumeName(volume);
    const isThere = (await this.#volumes(client)).some((found) => found.name === name);
    if (!isThere) await this.#calls.ask('make a volume', () => client.Volume.create(name));
    return name;
  }

  /** Ids at E2B of the sandboxes of a plan: more than one where a process died while it made one. */
  async #named(client: E2B, id: string): Promise<readonly string[]> {
    const found = await this.#all(client, { [INSTANCE]: this.#deps.instance, [SANDBOX]: id });
    return found.map(({ sandboxId }) => sandboxId);
  }

  async #all(client: E2B, metadata: Readonly<Record<string, string>>) {
    const pages = client.Sandbox.list({ query: { metadata: { ...metadata } } });
    const found = [];
    while (pages.hasNext) found.push(...(await this.#calls.ask('list sandboxes', () => pages.nextItems())));
    return found;
  }

  async #connect(client: E2B, sandboxId: string): Promise<HostedSandbox | undefined> {
    const sandbox = await this.#calls.find('open a sandbox', () =>
      client.Sandbox.connect(sandboxId, { timeoutMs: LIFE_MS }),
    );
    return sandbox === undefined ? undefined : this.#sandbox(client, sandbox);
  }

  #sandbox(client: E2B, sandbox: Sandbox): HostedSandbox {
    const { sandboxId } = sandbox;
    return {
      run: (line, take) => this.#run(sandbox, line, take),
      limitTo: (network) =>
        this.#calls.ask('change the network of a sandbox', () =>
          client.Sandbox.updateNetwork(sandboxId, networkOf(network)),
        ),
      extend: () => this.#calls.ask('keep a sandbox awake', () => client.Sandbox.setTimeout(sandboxId, LIFE_MS)),
    };
  }

  async #run(sandbox: Sandbox, line: string, take: TakeText): Promise<RemoteProgram> {
    const ends = new AbortController();
    const handle: CommandHandle = await this.#calls.ask('run a program', () =>
      sandbox.commands.run(line, {
        background: true,
        stdin: true,
        cwd: '/',
        timeoutMs: 0,
        onStdout: (text) => take('stdout', text),
        onStderr: (text) => take('stderr', text),
      }),
    );
    const over = handle
      .wait()
      .catch((error: unknown) => {
        // The code of a program is its own affair.
        if (error instanceof Error && error.constructor.name === 'CommandExitError') return;
        throw this.#calls.faultOf('follow a program', error);
      })
      .then(() => ends.abort());
    over.catch(() => undefined);
    return {
      over,
      send: async (text) => {
        try {
          await handle.sendStdin(text, { requestTimeoutMs: 0, signal: ends.signal });
        } catch (error) {
          if (!ends.signal.aborted) throw this.#calls.faultOf('send input', error);
        }
      },
      kill: async () => {
        ends.abort();
        await this.#calls.find('end a program', () => handle.kill());
        await handle.disconnect();
      },
    };
  }

  /** The client for the key as it is now. */
  async #open(): Promise<E2B> {
    const apiKey = await this.#deps.apiKey();
    if (this.#client?.apiKey === apiKey) return this.#client.client;
    const { E2B: Client } = await loadClient('e2b', this.#load);
    const { url } = this.#deps.settings;
    // Named one by one, or the variables of the environment would say where the service is.
    const place = url.includes('://')
      ? { apiUrl: url, sandboxUrl: url, domain: new URL(url).hostname }
      : { apiUrl: `https://api.${url}`, sandboxUrl: `https://sandbox.${url}`, domain: url };
    const client = new Client({ ...place, apiKey, debug: false });
    this.#client = { apiKey, client };
    return client;
  }
}
