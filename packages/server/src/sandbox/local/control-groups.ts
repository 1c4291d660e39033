import { existsSync, rmdirSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { SandboxLimits } from '../contract.ts';

/** A group of processes that the kernel holds to limits. */
export interface ControlGroup {
  /** Puts a process in, and all that it starts from then on. */
  admit(pid: number): Promise<void>;
  /** How often the kernel ended one of its processes for want of memory. */
  memoryKills(): Promise<number>;
  /** Ends this use of the group; the last one removes it, unless processes are left in it. */
  close(): void;
}

/** Makes control groups by one version of the kernel's interface. */
export interface ControlGroups {
  readonly version: 1 | 2;
  /** Uses of one name at a time share one group, and so its limits. */
  open(name: string, limits: SandboxLimits): Promise<ControlGroup>;
}

/** What tells where the groups are; on another folder in tests. */
export interface GroupPlaces {
  /** `/sys/fs/cgroup` */
  readonly root: string;
  /** Content of `/proc/self/cgroup`. */
  readonly own: string;
}

const CONTROLLERS = ['memory', 'pids', 'cpu'];
const CPU_PERIOD_MICROS = 100_000;
/** In files of version 1. */
const NO_LIMIT = -1;
/** Names of groups say whose they are: what a process left that is gone may be removed. */
const PREFIX = `svc-${process.pid}-`;
const ANY_GROUP = /^svc-(\d+)-/;

/** Folders of the own group by controller; '' is the one hierarchy of version 2. */
const ownFolders = ({ root, own }: GroupPlaces): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const line of own.split('\n')) {
    const match = /^\d+:([^:]*):(.+)$/.exec(line);
    for (const controller of (match?.[1] ?? '').split(',')) {
      if (match?.[2] === undefined) continue;
      found.set(controller, controller === '' ? join(root, match[2]) : join(root, match[1] ?? '', match[2]));
    }
  }
  return found;
};

const isMissing = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ENOENT';

/** Content of a file of a group, '' where there is none. */
const contentOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
};

const killsIn = (text: string): number => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);

/** Sets a value that the kernel has; never makes a file where the folder is an ordinary one. */
const setValue = (path: string, value: string | number): Promise<void> =>
  writeFile(path, String(value), { flag: 'r+' });

class Group implements ControlGroup {
  readonly #folders: readonly string[];
  readonly #eventsPath: string;

  constructor(folders: readonly string[], eventsPath: string) {
    this.#folders = folders;
    this.#eventsPath = eventsPath;
  }

  async admit(pid: number): Promise<void> {
    for (const folder of this.#folders) await setValue(join(folder, 'cgroup.procs'), pid);
  }

  async memoryKills(): Promise<number> {
    return killsIn(await contentOf(this.#eventsPath));
  }

  close(): void {
    for (const folder of this.#folders) removeGroup(folder);
  }
}

/**
 * Processes that have just ended hold their group for a moment: it is then removed with a later command, or at the next start. Synchronous:
 * no one can open the group again between the decision to remove it and its end.
 */
const removeGroup = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code !== 'EBUSY' && code !== 'ENOENT' && code !== 'ENOTEMPTY') throw error;
  }
};

const cpuQuota = ({ cpu }: SandboxLimits): number => Math.max(1_000, Math.round(cpu * CPU_PERIOD_MICROS));

const openVersion1 = async (
  places: ReadonlyMap<string, string>,
  name: string,
  limits: SandboxLimits,
): Promise<ControlGroup> => {
  const folder = (controller: string): string => join(places.get(controller) ?? '', `${PREFIX}${name}`);
  const set = (controller: string, file: string, value: number): Promise<void> =>
    setValue(join(folder(controller), file), value);
  for (const controller of CONTROLLERS) await mkdir(folder(controller), { recursive: true });
  const swap = join(folder('memory'), 'memory.memsw.limit_in_bytes');
  // Kernels without accounting of swap have no such file.
  const countsSwap = (await contentOf(swap)) !== '';
  // A group that is still there may have a lower limit of both together, above which the kernel refuses one of memory alone.
  if (countsSwap) await setValue(swap, NO_LIMIT);
  await set('memory', 'memory.limit_in_bytes', limits.memoryBytes);
  if (countsSwap) await setValue(swap, limits.memoryBytes);
  await set('pids', 'pids.max', limits.pids);
  await set('cpu', 'cpu.cfs_period_us', CPU_PERIOD_MICROS);
  await set('cpu', 'cpu.cfs_quota_us', cpuQuota(limits));
  return new Group(CONTROLLERS.map(folder), join(folder('memory'), 'memory.oom_control'));
};

const openVersion2 = async (parent: string, name: string, limits: SandboxLimits): Promise<ControlGroup> => {
  const folder = join(parent, `${PREFIX}${name}`);
  await mkdir(folder, { recursive: true });
  const set = (file: string, value: string): Promise<void> => setValue(join(folder, file), value);
  await set('memory.max', String(limits.memoryBytes));
  if ((await contentOf(join(folder, 'memory.swap.max'))) !== '') await set('memory.swap.max', '0');
  await set('pids.max', String(limits.pids));
  await set('cpu.max', `${cpuQuota(limits)} ${CPU_PERIOD_MICROS}`);
  return new Group([folder], join(folder, 'memory.events'));
};

/** A group as small as one can be, to find out whether groups can be made. */
const TRIAL: SandboxLimits = { cpu: 1, memoryBytes: 64 * 1_048_576, pids: 8, diskBytes: 0, outputBytes: 0 };

/** The same groups, each of which stays while anyone uses it: commands of one sandbox run side by side. */
const countingUses = ({ version, open }: ControlGroups): ControlGroups => {
  const uses = new Map<string, number>();
  const isLast = (name: string): boolean => {
    const left = (uses.get(name) ?? 1) - 1;
    if (left > 0) uses.set(name, left);
    else uses.delete(name);
    return left <= 0;
  };
  return {
    version,
    open: async (name, limits) => {
      uses.set(name, (uses.get(name) ?? 0) + 1);
      try {
        const group = await open(name, limits);
        return {
          admit: (pid) => group.admit(pid),
          memoryKills: () => group.memoryKills(),
          close: () => {
            if (isLast(name)) group.close();
          },
        };
      } catch (error) {
        isLast(name);
        throw error;
      }
    },
  };
};

/** Control groups of this process, below its own one; undefined when it may not make any. */
export const findControlGroups = async (places: GroupPlaces): Promise<ControlGroups | undefined> => {
  const own = ownFolders(places);
  const unified = own.get('') ?? '';
  const candidates: readonly ControlGroups[] = [
    { version: 2, open: (name, limits) => openVersion2(unified, name, limits) },
    { version: 1, open: (name, limits) => openVersion1(own, name, limits) },
  ];
  for (const groups of candidates) {
    const isThere = groups.version === 2 ? await isComplete(unified) : CONTROLLERS.every((name) => own.has(name));
    if (!isThere) continue;
    try {
      if (groups.version === 2) await setValue(join(unified, 'cgroup.subtree_control'), '+memory +pids +cpu');
      await removeLeftovers(groups.version === 2 ? [unified] : [...own.values()]);
      (await groups.open('trial', TRIAL)).close();
      return countingUses(groups);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return undefined;
};

/** Whether the hierarchy of version 2 has the controllers: on some machines they are still those of version 1. */
const isComplete = async (folder: string): Promise<boolean> => {
  const found = folder === '' ? '' : await contentOf(join(folder, 'cgroup.controllers'));
  return CONTROLLERS.every((name) => found.split(/\s+/).includes(name));
};

/** Of a system without these controllers, or that does not let this process use them. */
const isRefusal = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EBUSY', 'EINVAL', 'EOPNOTSUPP', 'ENOTDIR'].includes(
    String((error as { readonly code?: unknown }).code),
  );

const removeLeftovers = async (folders: readonly string[]): Promise<void> => {
  for (const folder of new Set(folders)) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (isRefusal(error)) return [];
      throw error;
    });
    for (const name of names) {
      const maker = ANY_GROUP.exec(name)?.[1];
      if (maker !== undefined && !existsSync(`/proc/${maker}`)) removeGroup(join(folder, name));
    }
  }
};

/** `ulimit` commands for a machine without control groups. Options that a shell does not have fail quietly: dash and bash differ. */
export const processLimits = (limits: SandboxLimits, isGrouped: boolean): readonly string[] => {
  const blocks = Math.floor(limits.diskBytes / 512);
  const files = ['ulimit -c 0', `ulimit -f ${blocks}`];
  if (isGrouped) return files;
  const kibibytes = Math.floor(limits.memoryBytes / 1_024);
  return [
    ...files,
    `ulimit -d ${kibibytes}`,
    `ulimit -u ${limits.pids} 2>/dev/null || ulimit -p ${limits.pids} 2>/dev/null || exit 126`,
  ];
};
