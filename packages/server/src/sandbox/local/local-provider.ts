import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { type Clock, Fault } from '../../base/index.ts';
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
import { BackendFolders, PROBE_ID, sandboxGone, UNCOUNTABLE } from './backend-folders.ts';
import { type ControlGroup, type ControlGroups, findControlGroups, processLimits } from './control-groups.ts';
import {
  JAIL_NODE,
  type Jail,
  type JailForm,
  type JailMount,
  jailCommand,
  jailOptions,
  SELF_CHECK,
} from './jail-arguments.ts';
import { complaintOf, type JailRun, runJail, startJail } from './jail-process.ts';
import { OWN_SETTINGS, systemPaths } from './machine-files.ts';
import { failureRemedy, KERNEL_SETTINGS, type MachineFacts, missingPart, rlimitsNote } from './remedy-rules.ts';

export interface LocalProviderDeps extends EgressDeps {
  /** Folder of the backends and volumes. */
  readonly root: string;
  readonly clock: Pick<Clock, 'after'>;
  /** `PATH` in which bwrap is searched. */
  readonly searchPath: string;
  /** What the machine says; tests say something else. */
  readonly facts?: Partial<MachineFacts>;
  /** False = limits by rlimits even where control groups can be made. */
  readonly mayGroup?: boolean;
}

/** A command, and what ends it. */
interface AskedCommand {
  readonly command: SandboxCommand;
  readonly signal: AbortSignal;
}

/** A jail about to run, and what is to be done at its end. */
interface PreparedRun {
  readonly jail: JailRun;
  readonly judged: (result: SandboxResult) => Promise<SandboxResult>;
  readonly close: () => Promise<void>;
}

/** What a successful probe found. */
interface Working {
  readonly program: string;
  readonly form: JailForm;
  readonly groups: ControlGroups | undefined;
}

const NOT_INSTALLED =
  'is not installed on this machine: sandboxes of provider local cannot install packages of the operating system';
const DISK_CHECK_MS = 1_000;
const PROBE_MS = 20_000;
const MIB = 1_048_576;

/** What this machine says about itself. */
const machineFacts = async (searchPath: string): Promise<MachineFacts> => {
  const settings: Record<string, string | undefined> = {};
  for (const path of KERNEL_SETTINGS)
    settings[path] = existsSync(path) ? (await readFile(path, 'utf8')).trim() : undefined;
  const places = searchPath.split(delimiter).filter((folder) => folder.startsWith('/'));
  return {
    platform: process.platform,
    bubblewrap: places.map((folder) => join(folder, 'bwrap')).find((path) => existsSync(path)),
    settings,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  };
};

const PROBE_PLAN: SandboxPlan = {
  id: PROBE_ID,
  volume: '',
  image: '',
  mountPath: '/workspace',
  writable: [],
  readonly: [],
  network: { mode: 'none' },
  limits: { cpu: 1, memoryBytes: 1_024 * MIB, pids: 64, diskBytes: MIB, outputBytes: 64 * 1_024 },
  env: {},
};

/**
 * Sandboxes as jails of processes on this machine. A backend is a folder; each command gets a jail of its own around it, so no
 * process survives its command and nothing but files passes from one command to the next.
 */
export class LocalProvider implements SandboxProvider {
  readonly name = 'local';
  readonly #deps: LocalProviderDeps;
  readonly #folders: BackendFolders;
  #working: Promise<Working> | undefined;
  readonly #running = new RunningCommands();

  constructor(deps: LocalProviderDeps) {
    this.#deps = deps;
    this.#folders = new BackendFolders(deps.root);
  }

  async probe(): Promise<ProviderReport> {
    try {
      const { form, groups } = await this.#ready();
      const kind = form === 'plain' ? 'without user namespaces' : 'with user namespaces';
      const limits =
        groups === undefined ? rlimitsNote(process.getuid?.() === 0) : `limits by cgroup v${groups.version}`;
      return { isAvailable: true, message: `bubblewrap ${kind}; ${limits}` };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { isAvailable: false, message: error.message };
    }
  }

  async create(plan: SandboxPlan): Promise<'created' | 'present'> {
    await this.#ready();
    return this.#folders.create(plan);
  }

  async exists(id: string): Promise<boolean> {
    return this.#folders.has(id);
  }

  async exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
    checkCommand(plan, command);
    const working = await this.#ready();
    const use = this.#using(plan.id);
    try {
      return await this.#jailed(working, plan, { command, signal: AbortSignal.any([signal, use.signal]) });
    } finally {
      use.end();
    }
  }

  async start(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal): Promise<SandboxProcess> {
    checkCommand(plan, command);
    const working = await this.#ready();
    const use = this.#using(plan.id);
    try {
      const run = await this.#prepared(working, plan, { command, signal: AbortSignal.any([signal, use.signal]) });
      const begun = await startJail(run.jail).catch(async (error: unknown) => {
        await run.close();
        throw error;
      });
      const ended = begun.ended
        .then((result) => run.judged(result))
        .finally(async () => {
          await run.close();
          use.end();
        });
      return { ...begun, ended };
    } catch (error) {
      use.end();
      throw error;
    }
  }

  /** Notes a command in a backend, which ends when that is destroyed. */
  #using(id: string): { readonly signal: AbortSignal; readonly end: () => void } {
    if (!this.#folders.has(id)) throw sandboxGone();
    return this.#running.begin(id);
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
    // No command begins in it from now on.
    await this.#folders.retire(id);
    // A process that still runs could put links in the way of the removal, which would then remove what they point to.
    await this.#running.end(id);
    await this.#folders.destroy(id);
  }

  destroyVolume(volume: string): Promise<void> {
    return this.#folders.destroyVolume(volume);
  }

  list(): ReturnType<SandboxProvider['list']> {
    return this.#folders.list();
  }

  /** What works on this machine; a failure is tried again at the next call. */
  #ready(): Promise<Working> {
    this.#working ??= this.#try().catch((error: unknown) => {
      this.#working = undefined;
      throw error;
    });
    return this.#working;
  }

  async #try(): Promise<Working> {
    const { searchPath, facts: given, root, mayGroup = true } = this.#deps;
    const facts = { ...(await machineFacts(searchPath)), ...given };
    const missing = missingPart(facts);
    if (missing !== '') throw unavailable(missing);
    const program = facts.bubblewrap ?? '';
    await mkdir(join(root, 'etc'), { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(OWN_SETTINGS)) await writeFile(join(root, 'etc', name), text);
    const own = mayGroup ? await contentOfOwnGroups() : '';
    const groups = own === '' ? undefined : await findControlGroups({ root: '/sys/fs/cgroup', own });
    await removeDeadGates();
    await this.#folders.create(PROBE_PLAN);
    try {
      let complaint = '';
      for (const form of ['closed', 'user', 'plain'] as const) {
        const problem = await this.#check({ program, form, groups });
        if (problem === '') return { program, form, groups };
        complaint ||= problem;
      }
      throw unavailable(`no jail can be made (${complaint}): ${failureRemedy(complaint, facts)}`);
    } finally {
      await this.#folders.destroy(PROBE_PLAN.id);
    }
  }

  /** What is wrong with a jail of this form, '' when it is one. */
  async #check(working: Working): Promise<string> {
    const argv = [JAIL_NODE, '-e', SELF_CHECK];
    const command: SandboxCommand = { argv, cwd: '', env: {}, timeoutMs: PROBE_MS };
    const { signal } = new AbortController();
    const result = await this.#jailed(working, PROBE_PLAN, { command, signal });
    const lines = Buffer.from(result.stdout).toString('utf8').trim().split('\n');
    if (lines.at(-1) !== 'ok') return complaintOf(result.stderr) || `the trial ended with code ${result.exitCode}`;
    return lines.slice(0, -1).join(', ');
  }

  async #jailed(working: Working, plan: SandboxPlan, asked: AskedCommand): Promise<SandboxResult> {
    const run = await this.#prepared(working, plan, asked);
    try {
      return await run.judged(await runJail(run.jail));
    } finally {
      await run.close();
    }
  }

  /** Everything that a jail of a command needs; `close` after its end. */
  async #prepared(working: Working, plan: SandboxPlan, { command, signal }: AskedCommand): Promise<PreparedRun> {
    const { clock } = this.#deps;
    const isSetup = command.setup !== undefined;
    await this.#folders.complete(plan);
    const gate = await this.#gate(command.setup?.network ?? plan.network);
    let group: ControlGroup | undefined;
    const close = async (): Promise<void> => {
      group?.close();
      if (typeof gate !== 'string') await gate.close();
    };
    try {
      group = await working.groups?.open(plan.id, plan.limits);
      const opened = group;
      const jail = this.#jail(working, plan, { command, gate, mounts: this.#mounts(plan, isSetup) });
      const killsBefore = await opened?.memoryKills();
      const watch = { everyMs: DISK_CHECK_MS, check: await this.#diskCheck(plan) };
      return {
        jail: {
          program: working.program,
          options: jailOptions(jail),
          command: jailCommand(jail),
          stdin: command.stdin,
          outputBytes: command.outputBytes ?? plan.limits.outputBytes,
          timeoutMs: command.timeoutMs,
          signal,
          clock,
          admit: async (pid) => opened?.admit(pid),
          watch,
        },
        judged: (result) => withMemoryEnd(result, opened, killsBefore),
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  #mounts(plan: SandboxPlan, isSetup: boolean): readonly JailMount[] {
    const etc = Object.keys(OWN_SETTINGS).map((name) => ({
      source: join(this.#deps.root, 'etc', name),
      target: `/etc/${name}`,
      isWritable: false,
    }));
    const node = { source: process.execPath, target: JAIL_NODE, isWritable: false };
    return [...etc, node, ...this.#folders.mounts(plan, isSetup)];
  }

  #jail(
    { form, groups }: Working,
    plan: SandboxPlan,
    run: {
      readonly command: SandboxCommand;
      readonly gate: EgressGate | 'none' | 'host';
      readonly mounts: readonly JailMount[];
    },
  ): Jail {
    const { command, gate, mounts } = run;
    const home = plan.mountPath;
    const own = {
      HOME: home,
      USER: 'sandbox',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      NODE_PATH: `${home}/.local/lib/node_modules`,
    };
    return {
      form,
      system: systemPaths(gate),
      mounts,
      cwd: command.cwd === '' ? home : command.cwd,
      env: { PATH: `${home}/.local/bin:/run/svc:/usr/local/bin:/usr/bin:/bin`, ...own, ...plan.env, ...command.env },
      network: gate,
      limits: processLimits(plan.limits, groups !== undefined),
      argv: command.argv,
    };
  }

  async #gate(network: SandboxNetwork): Promise<EgressGate | 'none' | 'host'> {
    if (network.mode === 'none' || network.mode === 'host') return network.mode;
    if (network.mode === 'hosts' && network.hosts.length === 0) return 'none';
    return openEgress(network, this.#deps);
  }

  /** Ends a command that fills the disk; one that began on a full disk may continue as long as it makes that no fuller. */
  async #diskCheck(plan: SandboxPlan): Promise<() => Promise<SandboxEnd | undefined>> {
    const { diskBytes } = plan.limits;
    const before = await this.#folders.usedBytes(plan, UNCOUNTABLE);
    const most = Math.max(diskBytes, before === UNCOUNTABLE ? 0 : before);
    return async () => ((await this.#folders.usedBytes(plan, most)) > most ? 'disk' : undefined);
  }
}

const contentOfOwnGroups = async (): Promise<string> =>
  existsSync('/proc/self/cgroup') ? readFile('/proc/self/cgroup', 'utf8') : '';

const withMemoryEnd = async (
  result: SandboxResult,
  group: ControlGroup | undefined,
  before = 0,
): Promise<SandboxResult> => {
  if (group === undefined || result.endedBy !== 'exit' || result.exitCode === 0) return result;
  return (await group.memoryKills()) > before ? { ...result, endedBy: 'memory' } : result;
};

const unavailable = (message: string): Fault => new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message);
