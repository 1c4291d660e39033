import { type Clock, Fault, type Log } from '../../base/index.ts';
import { checkCommand } from '../command-texts.ts';
import type {
  FileAccess,
  ProviderReport,
  SandboxCommand,
  SandboxEnd,
  SandboxEntry,
  SandboxNetwork,
  SandboxPlan,
  SandboxProcess,
  SandboxProvider,
  SandboxResult,
} from '../contract.ts';
import { type EgressDeps, type EgressGate, openEgress, removeDeadGates } from '../egress/index.ts';
import { listThroughCommand, readThroughCommand, writeThroughCommand } from '../file-commands.ts';
import { installCommands } from '../install-commands.ts';
import { RunningCommands } from '../running-commands.ts';
import { type ContainerCommand, runContainer, startContainer } from './container-command.ts';
import {
  backendVolumes,
  type ContainerRun,
  containerBody,
  LABELS,
  markerName,
  openingBody,
  SELF_CHECK,
  volumeName,
} from './container-rules.ts';
import { DockerEngine } from './docker-engine.ts';
import { engineNote, engineProblem } from './docker-remedy-rules.ts';
import { type DockerSettings, isImageName } from './docker-settings-rules.ts';

export interface DockerProviderDeps extends EgressDeps {
  readonly clock: Pick<Clock, 'after' | 'nowMicros'>;
  readonly log: Pick<Log, 'warn'>;
  /** Marks what this instance of svc made: others may use the same engine. */
  readonly instance: string;
  /** Marks what this process runs. */
  readonly holder: string;
  readonly settings: DockerSettings;
}

/** A container about to run, and what is to be done at its end. */
interface PreparedRun {
  readonly container: ContainerCommand;
  readonly close: () => Promise<void>;
}

const NOT_INSTALLED =
  'is not part of the image: its system is read-only, so name an image that has it, or install it with pip: or npm:';
const CHECK_MS = 60_000;
const CHECK_OUTPUT_BYTES = 4_096;
/** The engine reads all its volumes to count them. */
const DISK_CHECK_MS = 10_000;
const MICROS_OF_SECOND = 1_000_000;
/** What starting and ending a container may take on a busy engine. */
const SLACK_SECONDS = 600;

/**
 * Sandboxes as containers of a Docker engine on this machine. A backend is a set of volumes; each command gets a container of its own around
 * them, so no process survives its command (the kernel ends them with the first one), nothing but files passes from one command to the next, and setup may
 * write and reach what commands may not. The network of a container is empty; allowed hosts are reached through the socket of a
 * proxy that is mounted into it.
 */
export class DockerProvider implements SandboxProvider {
  readonly name = 'docker';
  readonly #deps: DockerProviderDeps;
  readonly #engine: DockerEngine;
  readonly #running = new RunningCommands();
  /** Bytes of the backends that were found above their limit. */
  readonly #usedBytes = new Map<string, number>();
  #report: Promise<ProviderReport> | undefined;

  constructor(deps: DockerProviderDeps) {
    this.#deps = deps;
    this.#engine = new DockerEngine({ socket: deps.settings.socket, clock: deps.clock });
  }

  async probe(): Promise<ProviderReport> {
    this.#report ??= this.#try();
    try {
      return await this.#report;
    } catch (error) {
      this.#report = undefined;
      if (!(error instanceof Fault)) throw error;
      return { isAvailable: false, message: error.message };
    }
  }

  async create(plan: SandboxPlan): Promise<'created' | 'present'> {
    const { instance } = this.#deps;
    if (plan.volume !== '') await this.#engine.createVolume(...this.#kept(plan.volume));
    if (await this.exists(plan.id)) return 'present';
    await this.#engine.ensureImage(this.#image(plan), this.#deps.settings.mayPull);
    const volumes = backendVolumes(instance, plan);
    for (const { name, labels } of volumes) await this.#engine.createVolume(name, labels);
    await this.#open(plan);
    const own = { [LABELS.instance]: instance, [LABELS.sandbox]: plan.id };
    await this.#engine.createVolume(markerName(instance, plan.id), own);
    return 'created';
  }

  /** Also ends what another process began in it: who asks holds the lease now. */
  async exists(id: string): Promise<boolean> {
    const { instance, holder } = this.#deps;
    const labels = { [LABELS.instance]: instance, [LABELS.sandbox]: id };
    for (const [container, found] of await this.#engine.containers(labels))
      if (found[LABELS.holder] !== holder) await this.#engine.removeContainer(container);
    return this.#engine.hasVolume(markerName(instance, id));
  }

  async exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
    checkCommand(plan, command);
    const use = await this.#using(plan.id);
    try {
      const run = await this.#prepared(plan, command, AbortSignal.any([signal, use.signal]));
      try {
        return await runContainer(run.container);
      } finally {
        await run.close();
      }
    } finally {
      use.end();
    }
  }

  async start(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxProcess> {
    checkCommand(plan, command);
    const use = await this.#using(plan.id);
    try {
      const run = await this.#prepared(plan, command, AbortSignal.any([signal, use.signal]));
      const begun = await startContainer(run.container).catch(async (error: unknown) => {
        await run.close();
        throw error;
      });
      const ended = begun.ended.finally(async () => {
        await run.close();
        use.end();
      });
      return { ...begun, ended };
    } catch (error) {
      use.end();
      throw error;
    }
  }

  readFile(plan: SandboxPlan, path: string, access: FileAccess): Promise<Uint8Array> {
    return readThroughCommand(this, plan, { path, access });
  }

  writeFile(plan: SandboxPlan, path: string, access: FileAccess & { readonly bytes: Uint8Array }): Promise<void> {
    return writeThroughCommand(this, plan, { path, access });
  }

  listFiles(plan: SandboxPlan, path: string, access: FileAccess): Promise<readonly SandboxEntry[]> {
    return listThroughCommand(this, plan, { path, access });
  }

  installCommands(packages: readonly string[]): readonly (readonly string[])[] {
    return installCommands(packages, NOT_INSTALLED);
  }

  async destroy(id: string): Promise<void> {
    const { instance } = this.#deps;
    // No command begins in it from now on.
    await this.#engine.removeVolume(markerName(instance, id));
    await this.#running.end(id);
    this.#usedBytes.delete(id);
    const labels = { [LABELS.instance]: instance, [LABELS.sandbox]: id };
    for (const container of (await this.#engine.containers(labels)).keys())
      await this.#engine.removeContainer(container);
    for (const volume of (await this.#engine.volumes(labels)).keys()) await this.#engine.removeVolume(volume);
  }

  async destroyVolume(volume: string): Promise<void> {
    await this.#engine.removeVolume(volumeName(this.#deps.instance, volume));
  }

  /** Also removes containers whose process died: their commands cannot last any more. */
  async list(): ReturnType<SandboxProvider['list']> {
    const { instance, clock } = this.#deps;
    const labels = { [LABELS.instance]: instance };
    const now = clock.nowMicros() / MICROS_OF_SECOND;
    for (const [container, found] of await this.#engine.containers(labels))
      if (Number(found[LABELS.until] ?? 0) < now) await this.#engine.removeContainer(container);
    const found = [...(await this.#engine.volumes(labels)).values()];
    const named = (label: string): readonly string[] =>
      [...new Set(found.map((own) => own[label] ?? ''))].filter((name) => name !== '');
    return { backends: named(LABELS.sandbox), volumes: named(LABELS.volume) };
  }

  async #try(): Promise<ProviderReport> {
    const { settings } = this.#deps;
    const facts = await this.#engine.facts();
    const problem = engineProblem(facts);
    if (problem !== '') throw new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', problem);
    await this.#engine.ensureImage(settings.image, settings.mayPull);
    await removeDeadGates();
    return { isAvailable: true, message: engineNote(facts) };
  }

  /** Lets the user of the sandbox write its new volumes, and finds out whether a container is as closed as it has to be. */
  async #open(plan: SandboxPlan): Promise<void> {
    const volumes = backendVolumes(this.#deps.instance, plan);
    const targets = volumes.map(({ target }) => target);
    const argv = ['/bin/sh', '-c', SELF_CHECK, 'sh', ...targets];
    const run = this.#run(plan, { argv, cwd: '/', env: {}, timeoutMs: CHECK_MS, setup: { network: { mode: 'none' } } });
    const body = containerBody(plan, volumes, { ...run, network: 'none' });
    const { signal } = new AbortController();
    const common = { engine: this.#engine, clock: this.#deps.clock, signal, timeoutMs: CHECK_MS };
    const limits = { outputBytes: CHECK_OUTPUT_BYTES, failedRemoval: this.#failedRemoval };
    for (const each of [openingBody(body, volumes), body]) {
      const { exitCode, stdout, stderr } = await runContainer({ ...common, ...limits, body: each });
      const said = Buffer.concat([stdout, stderr]).toString('utf8').trim();
      if (exitCode !== 0) throw refused(plan.id, said || `code ${exitCode}`);
      if (each === body && said !== 'ok') throw refused(plan.id, said.split('\n').slice(0, -1).join(', '));
    }
  }

  /** Notes a command in a backend, which ends when that is destroyed. */
  async #using(id: string): Promise<ReturnType<RunningCommands['begin']>> {
    const use = this.#running.begin(id);
    try {
      if (await this.#engine.hasVolume(markerName(this.#deps.instance, id))) return use;
      throw new Fault('UNAVAILABLE', 'SANDBOX_LOST', 'the sandbox is gone');
    } catch (error) {
      use.end();
      throw error;
    }
  }

  /** Everything that the container of a command needs; `close` after its end. */
  async #prepared(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<PreparedRun> {
    const { clock, instance } = this.#deps;
    const gate = await this.#gate(command.setup?.network ?? plan.network);
    return {
      container: {
        engine: this.#engine,
        body: containerBody(plan, backendVolumes(instance, plan), { ...this.#run(plan, command), network: gate }),
        stdin: command.stdin,
        outputBytes: command.outputBytes ?? plan.limits.outputBytes,
        timeoutMs: command.timeoutMs,
        signal,
        clock,
        watch: { everyMs: DISK_CHECK_MS, check: this.#diskCheck(plan) },
        failedRemoval: this.#failedRemoval,
      },
      close: async () => {
        if (typeof gate !== 'string') await gate.close();
      },
    };
  }

  #run(plan: SandboxPlan, command: SandboxCommand): Omit<ContainerRun, 'network'> {
    const { instance, holder, clock } = this.#deps;
    const until = clock.nowMicros() / MICROS_OF_SECOND + command.timeoutMs / 1_000 + SLACK_SECONDS;
    return {
      image: this.#image(plan),
      argv: command.argv,
      cwd: command.cwd,
      env: command.env,
      isSetup: command.setup !== undefined,
      labels: {
        [LABELS.instance]: instance,
        [LABELS.sandbox]: plan.id,
        [LABELS.holder]: holder,
        [LABELS.until]: String(Math.ceil(until)),
      },
    };
  }

  #image({ image }: SandboxPlan): string {
    if (image === '') return this.#deps.settings.image;
    if (isImageName(image)) return image;
    throw new Fault('FAILED_PRECONDITION', 'SANDBOX_IMAGE', 'the image of the sandbox is not the name of an image');
  }

  #kept(volume: string): readonly [string, Readonly<Record<string, string>>] {
    const { instance } = this.#deps;
    return [volumeName(instance, volume), { [LABELS.instance]: instance, [LABELS.volume]: volume }];
  }

  async #gate(network: SandboxNetwork): Promise<EgressGate | 'none' | 'host'> {
    if (network.mode === 'none' || network.mode === 'host') return network.mode;
    if (network.mode === 'hosts' && network.hosts.length === 0) return 'none';
    return openEgress(network, this.#deps);
  }

  /** Ends a command that fills the disk; one that begins on a disk found full may continue as long as it makes that no fuller. */
  #diskCheck(plan: SandboxPlan): () => Promise<SandboxEnd | undefined> {
    const names = backendVolumes(this.#deps.instance, plan).map(({ name }) => name);
    const most = Math.max(plan.limits.diskBytes, this.#usedBytes.get(plan.id) ?? 0);
    return async () => {
      const sizes = await this.#engine.volumeBytes();
      const used = names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
      if (used > plan.limits.diskBytes) this.#usedBytes.set(plan.id, used);
      else this.#usedBytes.delete(plan.id);
      return used > most ? 'disk' : undefined;
    };
  }

  readonly #failedRemoval = (error: unknown): void =>
    this.#deps.log.warn('the container of a command could not be removed yet', { reason: String(error) });
}

const refused = (id: string, why: string): Fault =>
  new Fault(
    'UNAVAILABLE',
    'SANDBOX_PROVIDER',
    `the container of sandbox ${id} is not closed enough to be used: ${why}`,
  );
