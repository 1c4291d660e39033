import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ids, makeDirectory, systemCode } from '../base/index.ts';

const FILE = 'instance';
const FORM = /^[0-9a-f-]{8,64}$/;

/**
 * The name by which an instance of svc finds what it made where others make things too. Made once and kept in a folder of its own data, so
 * that no two instances share one, also where their paths are alike.
 */
export class InstanceName {
  readonly #folder: string;
  readonly #ids: Pick<Ids, 'next'>;
  #name: string | undefined;

  constructor(folder: string, ids: Pick<Ids, 'next'>) {
    this.#folder = folder;
    this.#ids = ids;
  }

  /** The name; made with the first call. */
  get(): string {
    this.#name ??= this.#kept() ?? this.#made();
    return this.#name;
  }

  #kept(): string | undefined {
    try {
      const name = readFileSync(join(this.#folder, FILE), 'utf8').trim();
      return FORM.test(name) ? name : undefined;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #made(): string {
    makeDirectory(this.#folder);
    const name = this.#ids.next();
    try {
      writeFileSync(join(this.#folder, FILE), `${name}\n`, { flag: 'wx', mode: 0o600 });
      return name;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const kept = this.#kept();
    if (kept !== undefined) return kept;
    // A file of which a crash left only a part names nothing.
    writeFileSync(join(this.#folder, FILE), `${name}\n`, { mode: 0o600 });
    return name;
  }
}
