import { readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { SealingKey } from './key-ring.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** What a file system without hard links answers; there the file is made in its place, whole once it is closed. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

type Link = (existing: string, fresh: string) => Promise<void>;

interface KeyFileText {
  readonly keys: readonly { readonly id: string; readonly key: string }[];
}

const unusable = (path: string, why: string, cause?: unknown): Fault =>
  new Fault('FAILED_PRECONDITION', 'KEY_FILE', `key file ${path} ${why}`, cause === undefined ? {} : { cause });

/** The keys an instance made for itself: `<dataDir>/keys/master.json`, oldest first, readable by its owner only (PL-8). */
export class KeyFile {
  readonly #path: string;
  readonly #link: Link;
  /** The file as `changed` last read it. */
  #seen = '';

  /** `makeLink` stands in for the file system's own in tests. */
  constructor(dataDir: string, makeLink: Link = link) {
    this.#path = join(dataDir, 'keys', 'master.json');
    this.#link = makeLink;
  }

  /** The stored keys; undefined when there is no file yet. Throws KEY_FILE when others may read it or it is damaged. */
  async read(): Promise<readonly SealingKey[] | undefined> {
    const facts = await stat(this.#path).catch(absent);
    if (facts === undefined) return undefined;
    if (process.platform !== 'win32' && (facts.mode & OTHERS) !== 0)
      throw unusable(this.#path, `may be read by others: run chmod 600 ${this.#path}`);
    const file = await open(this.#path, 'r');
    try {
      return this.#parse(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  }

  /**
   * The keys when the file is another one than at the last call: another process may have added to it. None where it cannot be
   * read: what is asked for stays unknown, and the next start says why.
   */
  changed(): readonly SealingKey[] {
    try {
      const { ino, mtimeMs } = statSync(this.#path);
      const seen = `${ino} ${mtimeMs}`;
      if (seen === this.#seen) return [];
      const keys = this.#parse(readFileSync(this.#path, 'utf8'));
      this.#seen = seen;
      return keys;
    } catch {
      return [];
    }
  }

  /**
   * Makes the file with its first key, unless another process was first; answers the keys that are in it then. They are on
   * disk when this resolves.
   */
  async create(key: SealingKey): Promise<readonly SealingKey[]> {
    const directory = dirname(this.#path);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${key.id}`;
    await writeWhole(draft, textOf([key]), 'wx');
    try {
      await this.#link(draft, this.#path).catch(async (error: NodeJS.ErrnoException) => {
        if (!NO_LINKS.includes(error.code)) throw error;
        await writeWhole(this.#path, textOf([key]), 'wx');
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(draft, { force: true });
    }
    await syncDirectory(directory);
    const present = await this.read();
    if (present === undefined) throw unusable(this.#path, 'went while it was made');
    return present;
  }

  /** Replaces the file as a whole; the keys are on disk when this resolves. */
  async write(keys: readonly SealingKey[]): Promise<void> {
    const fresh = `${this.#path}.new`;
    await writeWhole(fresh, textOf(keys), 'w');
    await rename(fresh, this.#path);
    await syncDirectory(dirname(this.#path));
  }

  #parse(text: string): readonly SealingKey[] {
    let parsed: Partial<KeyFileText>;
    try {
      parsed = JSON.parse(text) as Partial<KeyFileText>;
    } catch (cause) {
      throw unusable(this.#path, 'is no JSON', cause);
    }
    const keys = (parsed.keys ?? []).map(({ id, key }) => ({ id, bytes: Buffer.from(key, 'base64') }));
    if (keys.length === 0 || keys.some((key) => key.bytes.length !== 32))
      throw unusable(this.#path, 'holds no usable key');
    return keys;
  }
}

const textOf = (keys: readonly SealingKey[]): string => {
  const text: KeyFileText = {
    keys: keys.map(({ id, bytes }) => ({ id, key: Buffer.from(bytes).toString('base64') })),
  };
  return `${JSON.stringify(text, null, 2)}\n`;
};

/** `wx` fails with EEXIST where there is a file. */
const writeWhole = async (path: string, text: string, how: 'w' | 'wx'): Promise<void> => {
  const file = await open(path, how, OWNER_ONLY);
  try {
    await file.chmod(OWNER_ONLY);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
