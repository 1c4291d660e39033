import type { Daytona, Sandbox } from '@daytonaio/sdk';
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

type LoadDaytona = () => Promise<Pick<typeof import('@daytonaio/sdk'), 'Daytona'>>;

/** How sandboxes say whose they are. */
const INSTANCE = 'svc-instance';
const SANDBOX = 'svc-sandbox';
const CREATE_MS = 300_000;
const START_MS = 120_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const GIB = 1_073_741_824;
/** A sandbox that stopped and was not used for so long is removed by the service, should svc never do it. */
const FORGOTTEN_MINUTES = 30 * 24 * 60;
const VOLUME_TRIES = 60;
/** Most output of one program that waits to be taken. */
const WAITING_CHARS = 16 * 1_048_576;

const meaningOf = (error: unknown): ErrorMeaning => {
  const { statusCode } = error as { readonly statusCode?: unknown };
  if (statusCode === 404) return 'gone';
  return statusCode === 401 || statusCode === 403 ? 'refused' : 'other';
};

/** What the processes of a sandbox reach, as Daytona says it. */
const networkOf = (
  network: SandboxNetwork,
): { readonly networkBlockAll: boolean; readonly domainAllowList: string } => ({
  networkBlockAll: network.mode === 'none' || (network.mode === 'hosts' && network.hosts.length === 0),
  domainAllowList: network.mode === 'hosts' ? network.hosts.join(',') : '',
});

/** Sandboxes at Daytona, by its client. One that is not used is stopped with its files, and started with the next use. */
export class DaytonaService implements HostedService {
  readonly #deps: ServiceDeps;
  readonly #load: LoadDaytona;
  readonly #calls: ServiceCalls;
  #client: { readonly apiKey: string; readonly client: Daytona } | undefined;
  #programs = 0;

  constructor(deps: ServiceDeps, load: LoadDaytona = () => import('@daytonaio/sdk')) {
    this.#deps = deps;
    this.#load = load;
    this.#calls = new ServiceCalls({ title: 'Daytona', clock: deps.clock, meaningOf });
  }

  async probe(): Promise<void> {
    const client = await this.#open();
    await this.#calls.ask('list volumes', () => client.volume.list());
  }

  async create(plan: SandboxPlan): Promise<HostedSandbox> {
    const { instance, settings } = this.#deps;
    const client = await this.#open();
    const volume = plan.volume === '' ? undefined : await this.#volume(client, plan.volume);
    const image = plan.image === '' ? settings.image : plan.image;
    const { cpu, memoryBytes, diskBytes } = plan.limits;
    const common = {
      name: this.#name(plan.id),
      labels: { [INSTANCE]: instance, [SANDBOX]: plan.id },
      public: false,
      autoStopInterval: LIFE_MS / MINUTE_MS,
      autoDeleteInterval: FORGOTTEN_MINUTES,
      ...networkOf(plan.network),
      ...(volume === undefined ? {} : { volumes: [{ volumeId: volume, mountPath: plan.mountPath }] }),
    };
    const whole = (bytes: number): number => Math.max(1, Math.floor(bytes / GIB));
    const resources = { cpu: Math.max(1, Math.floor(cpu)), memory: whole(memoryBytes), disk: whole(diskBytes) };
    const timeout = { timeout: CREATE_MS / SECOND_MS };
    const sandbox = await this.#calls.ask(
      'make a sandbox',
      () =>
        image === ''
          ? client.create({ ...common, ...(settings.template === '' ? {} : { snapshot: settings.template }) }, timeout)
          : client.create({ ...common, image, resources }, timeout),
      CREATE_MS,
    );
    return this.#sandbox(sandbox);
  }

  async open(id: string): Promise<HostedSandbox | undefined> {
    const client = await this.#open();
    const sandbox = await this.#find(client, id);
    if (sandbox === undefined || FAILED.includes(sandbox.state ?? '')) return undefined;
    if (sandbox.state === 'stopped' || sandbox.state === 'archived' || sandbox.state === 'paused')
      await this.#calls.ask('start a sandbox', () => sandbox.start(START_MS / SECOND_MS), START_MS);
    else if (sandbox.state !== 'started')
      await this.#calls.ask('start a sandbox', () => sandbox.waitUntilStarted(START_MS / SECOND_MS), START_MS);
    const opened = this.#sandbox(sandbox);
    await opened.extend();
    return opened;
  }

  async remove(id: string): Promise<void> {
    const client = await this.#open();
    const sandbox = await this.#find(client, id);
    if (sandbox === undefined) return;
    await this.#calls.find('remove a sandbox', () => sandbox.delete(START_MS / SECOND_MS, true));
  }

  async removeVolume(volume: string): Promise<void> {
    const client = await this.#open();
    const name = this.#name(volume);
    const found = await this.#calls.find('find a volume', () => client.volume.get(name));
    if (found !== undefined) await this.#calls.find('remove a volume', () => client.volume.delete(found));
  }

  async list(): ReturnType<HostedService['list']> {
    const { instance } = this.#deps;
    const client = await this.#open();
    const backends = new Set<string>();
    await this.#calls.ask(
      'list sandboxes',
      async () => {
        for await (const { labels } of client.list({ labels: { [INSTANCE]: instance } }))
          backends.add(labels[SANDBOX] ?? '');
      },
      CREATE_MS,
    );
    backends.delete('');
    const prefix = this.#name('');
    const volumes = await this.#calls.ask('list volumes', () => client.volume.list());
    const names = volumes.filter(({ state }) => !REMOVED.includes(state)).map(({ name }) => name);
    const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return { backends: [...backends], volumes: own };
  }

  #name(id: string): string {
    return `${namePrefix(this.#deps.instance)}${id}`;
  }

  /** The sandbox of a plan, also one that failed: that keeps its name until it is removed. One that is being removed counts as gone. */
  async #find(client: Daytona, id: string): Promise<Sandbox | undefined> {
    const found = await this.#calls.find('find a sandbox', () => client.get(this.#name(id)));
    return found === undefined || DESTROYED.includes(found.state ?? '') ? undefined : found;
  }

  /** Id of a volume that is ready to be used. */
  async #volume(client: Daytona, volume: string): Promise<string> {
    const name = this.#name(volume);
    for (let tries = 0; tries < VOLUME_TRIES; tries++) {
      const { id, state } = await this.#calls.ask('make a volume', () => client.volume.get(name, true));
      if (state === 'ready') return id;
      await new Promise<void>((resolve) => this.#deps.clock.after(SECOND_MS, () => resolve()));
    }
    throw this.#calls.faultOf('make a volume', new Error(`it was not ready within ${VOLUME_TRIES} s`));
  }

  #sandbox(sandbox: Sandbox): HostedSandbox {
    return {
      run: (line, take) => this.#run(sandbox, line, take),
      limitTo: (network) =>
        this.#calls.ask('change the network of a sandbox', () => sandbox.updateNetworkSettings(networkOf(network))),
      extend: () => this.#calls.ask('keep a sandbox awake', () => sandbox.refreshActivity()),
    };
  }

  /** Each program has a session of its own, with which all of it that is left goes. */
  async #run({ process }: Sandbox, line: string, take: TakeText): Promise<RemoteProgram> {
    const session = `svc-${this.#deps.holder}-${++this.#programs}`;
    const request = { command: line, runAsync: true, suppressInputEcho: true };
    const command = await this.#calls.ask('run a program', async () => {
      await process.createSession(session);
      const { cmdId } = await process.executeSessionCommand(session, request);
      return cmdId;
    });
    // The client does not wait until its callbacks are done: their texts are put in a line here.
    let taken: Promise<void> = Promise.resolve();
    let waitingChars = 0;
    let isOver = false;
    const { promise: isTooMuch, reject: tooMuch } = Promise.withResolvers<never>();
    isTooMuch.catch(() => undefined);
    const queue = (stream: 'stdout' | 'stderr') => (text: string) => {
      waitingChars += text.length;
      if (waitingChars > WAITING_CHARS) return tooMuch(new Error('its output was taken too slowly'));
      taken = taken.then(async () => {
        await take(stream, text);
        waitingChars -= text.length;
      });
      taken.catch(() => undefined);
    };
    const remove = (): Promise<void> =>
      this.#calls.find('end a program', () => process.deleteSession(session)).then(() => undefined);
    const follow = async (): Promise<void> => {
      try {
        const logs = process.getSessionCommandLogs(session, command, queue('stdout'), queue('stderr'));
        await Promise.race([logs, isTooMuch]);
        await taken;
      } catch (error) {
        throw this.#calls.faultOf('follow a program', error);
      } finally {
        isOver = true;
        await remove();
      }
    };
    const over = follow();
    over.catch(() => undefined);
    return {
      over,
      send: async (text) => {
        try {
          await process.sendSessionCommandInput(session, command, text);
        } catch (error) {
          if (!isOver) throw this.#calls.faultOf('send input', error);
        }
      },
      kill: remove,
    };
  }

  /** The client for the key as it is now. */
  async #open(): Promise<Daytona> {
    const apiKey = await this.#deps.apiKey();
    if (this.#client?.apiKey === apiKey) return this.#client.client;
    const { Daytona: Client } = await loadClient('@daytonaio/sdk', this.#load);
    const { url, target } = this.#deps.settings;
    // Asks for states instead of keeping a connection for them open all the time.
    const place = { apiUrl: url, otelEnabled: false, useDeprecatedPolling: true };
    const client = new Client({ ...place, apiKey, ...(target === '' ? {} : { target }) });
    this.#client = { apiKey, client };
    return client;
  }
}

const DESTROYED: readonly string[] = ['destroyed', 'destroying'];
const FAILED: readonly string[] = ['error', 'build_failed'];
const REMOVED: readonly string[] = ['deleted', 'deleting', 'pending_delete'];
