import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, opendir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, systemCode } from '../../base/index.ts';
import type { SandboxPlan } from '../contract.ts';
import { isFixedPath, ownPaths } from '../own-path-rules.ts';
import type { JailMount } from './jail-arguments.ts';

/** Files and folders of one sandbox that are counted; more of them are as good as a full disk. */
const ENTRIES_MAX = 200_000;
/** The backend of a trial, which is not listed. */
export const PROBE_ID = 'probe';
/** More than any limit. */
export const UNCOUNTABLE = Number.MAX_SAFE_INTEGER;
const BLOCK_BYTES = 512;
const HASH_CHARS = 16;

const NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/;

/** Names become paths, so nothing else may be one. */
const checked = (name: string): string => {
  if (!NAME.test(name)) throw new Error('not the name of a sandbox or volume');
  return name;
};

const hashed = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);

/**
 * The folders of sandboxes and volumes below one folder of the machine. A backend is a folder: it is made under another name and
 * renamed when it is whole. Nothing here follows a path inside of a workspace, where processes of the sandbox can leave links.
 */
export class BackendFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  has(id: string): boolean {
    return existsSync(this.#backend(id));
  }

  /** Makes the folders of a backend. */
  async create(plan: SandboxPlan): Promise<'created' | 'present'> {
    if (plan.volume !== '') await mkdir(this.#volume(plan.volume), { recursive: true, mode: 0o700 });
    if (this.has(plan.id)) return 'present';
    const path = this.#backend(plan.id);
    const draft = `${path}.new`;
    await removeTree(draft);
    const folders = ['workspace', 'tmp', 'shm', ...ownPaths(plan).map((own) => join('paths', hashed(own)))];
    for (const folder of folders) await mkdir(join(draft, folder), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    return 'created';
  }

  /** Makes the folders of own paths that the plan did not have when the backend was made; none of a backend that is gone. */
  async complete(plan: SandboxPlan): Promise<void> {
    const own = ownPaths(plan);
    const paths = join(this.#backend(plan.id), 'paths');
    for (const name of own.length === 0 ? [] : ['', ...own.map(hashed)])
      await mkdir(join(paths, name), { mode: 0o700 }).catch((error: unknown) => {
        if (isMissing(error)) throw sandboxGone();
        if (systemCode(error) !== 'EEXIST') throw error;
      });
  }

  /** What of these folders the jail sees, and where. */
  mounts(plan: SandboxPlan, isSetup: boolean): readonly JailMount[] {
    const path = this.#backend(plan.id);
    const workspace = plan.volume === '' ? join(path, 'workspace') : this.#volume(plan.volume);
    const isFixed = (own: string): boolean => !isSetup && isFixedPath(plan, own);
    return [
      { source: workspace, target: plan.mountPath, isWritable: true },
      { source: join(path, 'tmp'), target: '/tmp', isWritable: true },
      { source: join(path, 'shm'), target: '/dev/shm', isWritable: true },
      ...ownPaths(plan).map((own) => ({
        source: join(path, 'paths', hashed(own)),
        target: own,
        isWritable: !isFixed(own),
      })),
    ];
  }

  /** Takes the backend away under a name by which no command finds it; what still runs in it is not disturbed. */
  async retire(id: string): Promise<void> {
    const path = this.#backend(id);
    if (!this.has(id)) return;
    await removeTree(`${path}.new`);
    await rename(path, `${path}.new`);
  }

  async destroy(id: string): Promise<void> {
    await removeTree(this.#backend(id));
    await removeTree(`${this.#backend(id)}.new`);
  }

  async destroyVolume(volume: string): Promise<void> {
    await removeTree(this.#volume(volume));
  }

  async list(): Promise<{ readonly backends: readonly string[]; readonly volumes: readonly string[] }> {
    const backends = await namesIn(join(this.#root, 'backends'));
    return {
      backends: [...new Set(backends.map((name) => name.replace(/\.new$/, '')))].filter((name) => name !== PROBE_ID),
      volumes: await namesIn(join(this.#root, 'volumes')),
    };
  }

  /** Bytes on the disk, counted up to `limit`; UNCOUNTABLE for too many files, and for folders that cannot be read. */
  async usedBytes(plan: SandboxPlan, limit: number): Promise<number> {
    const used = { bytes: 0, entries: 0 };
    const roots = [this.#backend(plan.id), ...(plan.volume === '' ? [] : [this.#volume(plan.volume)])];
    for (const root of roots) await addTree(root, used, limit);
    return used.entries > ENTRIES_MAX ? UNCOUNTABLE : used.bytes;
  }

  #backend(id: string): string {
    return join(this.#root, 'backends', checked(id));
  }

  #volume(volume: string): string {
    return join(this.#root, 'volumes', checked(volume));
  }
}

/** The backend of a command does not exist any more. */
export const sandboxGone = (): Fault => new Fault('UNAVAILABLE', 'SANDBOX_LOST', 'the sandbox is gone');

const isMissing = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ENOENT';

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

interface Used {
  bytes: number;
  entries: number;
}

const SEPARATOR = Buffer.from('/');

/** Entries of a folder by their paths as bytes: names need not be UTF-8, and one that is not leads nowhere as a text. */
async function* entriesIn(folder: Buffer): AsyncGenerator<{ readonly path: Buffer; readonly isFolder: boolean }> {
  for await (const entry of await opendir(folder, { encoding: 'latin1' })) {
    const path = Buffer.concat([folder, SEPARATOR, Buffer.from(entry.name, 'latin1')]);
    yield { path, isFolder: entry.isDirectory() };
  }
}

/** Bytes of one entry on the disk; what vanishes meanwhile does not count. */
const entryBytes = async (path: Buffer): Promise<number> => {
  try {
    return (await lstat(path)).blocks * BLOCK_BYTES;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
};

/** Adds what is below a folder. */
const addTree = async (root: string, used: Used, limit: number): Promise<void> => {
  const pending: Buffer[] = [Buffer.from(root)];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    try {
      for await (const { path, isFolder } of entriesIn(folder)) {
        used.bytes += await entryBytes(path);
        used.entries += 1;
        if (used.bytes > limit || used.entries > ENTRIES_MAX) return;
        if (isFolder) pending.push(path);
      }
    } catch (error) {
      if (isMissing(error)) continue;
      if ((error as { readonly code?: unknown }).code !== 'EACCES') throw error;
      // What its processes closed to everyone cannot be counted.
      used.entries = Number.POSITIVE_INFINITY;
      return;
    }
  }
};

/** Removes a folder and everything in it, also what its processes closed to everyone. */
const removeTree = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EACCES') throw error;
    await openTree(path);
    await rm(path, { recursive: true, force: true });
  }
};

const openTree = async (root: string): Promise<void> => {
  const pending: Buffer[] = [Buffer.from(root)];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await chmod(folder, 0o700);
    for await (const { path, isFolder } of entriesIn(folder)) if (isFolder) pending.push(path);
  }
};
