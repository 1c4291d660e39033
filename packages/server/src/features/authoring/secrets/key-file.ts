import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  keyFileUnusable,
  type MakeLink,
  makePrivateFile,
  readPrivateFile,
  replacePrivateFile,
} from '../../../base/index.ts';
import type { SealingKey } from './key-ring.ts';

interface KeyFileText {
  readonly keys: readonly { readonly id: string; readonly key: string }[];
}

/** The keys an instance made for itself: `<dataDir>/keys/master.json`, oldest first, readable by its owner only. */
export class KeyFile {
  readonly #path: string;
  readonly #makeLink: MakeLink | undefined;
  /** The file as `changed` last read it. */
  #seen = '';

  /** `makeLink` replaces the file system's own in tests. */
  constructor(dataDir: string, makeLink?: MakeLink) {
    this.#path = join(dataDir, 'keys', 'master.json');
    this.#makeLink = makeLink;
  }

  /** The stored keys; undefined when there is no file yet. Throws KEY_FILE when others may read it or it is damaged. */
  async read(): Promise<readonly SealingKey[] | undefined> {
    const text = await readPrivateFile(this.#path);
    return text === undefined ? undefined : this.#parse(text);
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
    const makeLink = this.#makeLink === undefined ? {} : { makeLink: this.#makeLink };
    return this.#parse(
      await makePrivateFile(this.#path, textOf([key]), { draft: `${this.#path}.${key.id}`, ...makeLink }),
    );
  }

  /** Replaces the file as a whole; the keys are on disk when this resolves. */
  async write(keys: readonly SealingKey[]): Promise<void> {
    await replacePrivateFile(this.#path, textOf(keys));
  }

  #parse(text: string): readonly SealingKey[] {
    let parsed: Partial<KeyFileText>;
    try {
      parsed = JSON.parse(text) as Partial<KeyFileText>;
    } catch (cause) {
      throw keyFileUnusable(this.#path, 'is not JSON', cause);
    }
    const keys = (parsed.keys ?? []).map(({ id, key }) => ({ id, bytes: Buffer.from(key, 'base64') }));
    if (keys.length === 0 || keys.some((key) => key.bytes.length !== 32))
      throw keyFileUnusable(this.#path, 'holds no usable key');
    return keys;
  }
}

const textOf = (keys: readonly SealingKey[]): string => {
  const text: KeyFileText = {
    keys: keys.map(({ id, bytes }) => ({ id, key: Buffer.from(bytes).toString('base64') })),
  };
  return `${JSON.stringify(text, null, 2)}\n`;
};
