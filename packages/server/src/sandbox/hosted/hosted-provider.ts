import { type Clock, Fault, type Ids, type Log } from '../../base/index.ts';
import { checkCommand } from '../command-texts.ts';
import type {
  FileAccess,
  ProviderReport,
  SandboxCommand,
  SandboxEntry,
  SandboxPlan,
  SandboxProcess,
  SandboxProvider,
  SandboxResult,
} from '../contract.ts';
import { listThroughCommand, readThroughCommand, writeThroughCommand } from '../file-commands.ts';
import { installCommands } from '../install-commands.ts';
import { RunningCommands } from '../running-commands.ts';
import type { HostedSandbox, HostedService } from './contract.ts';
import { type RemoteCommand, runRemote, startRemote } from './remote-command.ts';
import { FOLDERS_SCRIPT, markPrefix, takeoverScript } from './remote-script-rules.ts';

export interface HostedProviderDeps {
  readonly name: string;
  readonly service: HostedService;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
  readonly ids: Pick<Ids, 'next'>;
  /** Marks what this instance of svc made: others may use the same account. */
  readonly instance: string;
  /** Marks what this process runs. */
  readonly holder: string;
  /** What works and what does not, for those who write classes. */
  readonly note: string;
  /** What of a plan the service cannot keep, '' when it can keep all. */
  readonly planProblem: (plan: SandboxPlan) => string;
}

const NOT_INSTALLED =
  'is not part of the template or image: name one that has it, or install it with pip:, npm: or a command of the setup';
const FOLDERS_MS = 60_000;

/**
 * Sandboxes at a hosted service. A backend is one machine of the service; commands run in it through a small program (see
 * `remote-script-rules.ts`), files are read and written by commands. The service ends or stops a machine that svc no longer uses.
 */
export class HostedProvider implements SandboxProvider {
  readonly #deps: HostedProviderDeps;
  readonly #running = new RunningCommands();

  constructor(deps: HostedProviderDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.name;
  }

  async probe(): Promise<ProviderReport> {
    try {
      await this.#deps.service.probe();
      return { isAvailable: true, message: this.#deps.note };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { isAvailable: false, message: error.message };
    }
  }

  async create(plan: SandboxPlan): Promise<'created' | 'present'> {
    const { service, planProblem } = this.#deps;
    const problem = planProblem(plan);
    if (problem !== '') throw unsupported(problem);
    const found = await service.open(plan.id);
    try {
      await this.#prepare(plan, found ?? (await service.create(plan)));
    } catch (error) {
      await service.remove(plan.id);
      throw error;
    }
    return found === undefined ? 'created' : 'present';
  }

  /** Also ends what another process began in it: who asks holds the lease now. */
  async exists(id: string): Promise<boolean> {
    const { service, instance, holder } = this.#deps;
    const sandbox = await service.open(id);
    if (sandbox === undefined) return false;
    const ender = await sandbox.run(takeoverScript({ instance, id, holder }), () => undefined);
    await ender.over;
    return true;
  }

  async exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
    checkCommand(plan, command);
    const use = this.#running.begin(plan.id);
    try {
      const run = await this.#run({ plan, command, signal: AbortSignal.any([signal, use.signal]) });
      return await this.#reaching(run, () => runRemote(run));
    } finally {
      use.end();
    }
  }

  async start(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxProcess> {
    checkCommand(plan, command);
    const use = this.#running.begin(plan.id);
    try {
      const run = await this.#run({ plan, command, signal: AbortSignal.any([signal, use.signal]) });
      const begun = await startRemote(run);
      return { ...begun, ended: begun.ended.finally(use.end) };
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
    await this.#deps.service.remove(id);
    await this.#running.end(id);
  }

  destroyVolume(volume: string): Promise<void> {
    return this.#deps.service.removeVolume(volume);
  }

  list(): ReturnType<SandboxProvider['list']> {
    return this.#deps.service.list();
  }

  /** Makes the folders of a plan; a sandbox where that is impossible is not used. */
  async #prepare(plan: SandboxPlan, sandbox: HostedSandbox): Promise<void> {
    const argv = ['/bin/sh', '-c', FOLDERS_SCRIPT, 'sh', plan.mountPath, ...plan.writable];
    const setup = { network: plan.network };
    const command = { argv, cwd: '/', env: {}, timeoutMs: FOLDERS_MS, setup };
    const run = this.#command({ plan, command, sandbox, signal: new AbortController().signal });
    const { exitCode, stdout, stderr } = await runRemote(run);
    if (exitCode === 0) return;
    const said = Buffer.concat([stdout, stderr]).toString('utf8').trim();
    throw unsupported(
      `the user of the sandbox cannot write ${said === '' ? plan.mountPath : said}: name a template or image whose user may use sudo, or other paths`,
    );
  }

  async #run(by: Omit<RemoteCommand, 'sandbox' | 'mark' | 'clock' | 'log'>): Promise<RemoteCommand> {
    const sandbox = await this.#deps.service.open(by.plan.id);
    if (sandbox === undefined) throw new Fault('UNAVAILABLE', 'SANDBOX_LOST', 'the sandbox is gone');
    return this.#command({ ...by, sandbox });
  }

  #command(by: Omit<RemoteCommand, 'mark' | 'clock' | 'log'>): RemoteCommand {
    const { instance, holder, ids, clock, log } = this.#deps;
    const mark = `${markPrefix({ instance, id: by.plan.id, holder })}${ids.next()}.`;
    return { ...by, mark, clock, log };
  }

  /** Setup reaches more than later commands may; a sandbox that is not limited again is not used. */
  async #reaching<T>({ command: { setup }, plan, sandbox }: RemoteCommand, work: () => Promise<T>): Promise<T> {
    if (setup === undefined || setup.network === plan.network) return work();
    await sandbox.limitTo(setup.network);
    try {
      return await work();
    } finally {
      await sandbox.limitTo(plan.network);
    }
  }
}

const unsupported = (problem: string): Fault => new Fault('FAILED_PRECONDITION', 'SANDBOX_FAILED', problem);
