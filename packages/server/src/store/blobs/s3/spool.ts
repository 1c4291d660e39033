import { Buffer } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Random } from '../../../base/index.ts';
import { ByteMeasure } from '../../contracts/index.ts';
import type { NamedBytes } from './s3-bucket.ts';

/** Bytes that came whole; whoever asked for them removes the file. */
export interface SpooledBytes extends NamedBytes {
  readonly file: string;
}

/**
 * Holds bytes of unknown hash in files until the last one came: nothing is sent under a name it does not deserve, and no
 * object is held in memory. What an earlier process left in the folder goes when the first bytes come.
 */
export class Spool {
  readonly #dir: string;
  readonly #prefix: string;
  #count = 0;
  #cleaned: Promise<void> | undefined;

  /** Only one process may use `dir`. */
  constructor(dir: string, random: Random) {
    this.#dir = dir;
    this.#prefix = Buffer.from(random.fill(new Uint8Array(6))).toString('hex');
  }

  /** Passes on what `use` answers; the file is gone when it resolves. Throws TOO_LARGE, and what the source throws. */
  async hold<T>(
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    use: (held: SpooledBytes) => Promise<T>,
  ): Promise<T> {
    this.#cleaned ??= this.#clean();
    await this.#cleaned;
    const file = join(this.#dir, `${this.#prefix}-${this.#count++}`);
    const measure = new ByteMeasure(limitBytes);
    try {
      await pipeline(measured(source, measure), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
      return await use({ file, sizeBytes: measure.sizeBytes, sha256: measure.end() });
    } finally {
      await rm(file, { force: true });
    }
  }

  async #clean(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir)) await rm(join(this.#dir, name), { force: true });
  }
}

async function* measured(source: AsyncIterable<Uint8Array>, measure: ByteMeasure): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    measure.add(chunk);
    yield chunk;
  }
}
