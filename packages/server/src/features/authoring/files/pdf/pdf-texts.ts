import { Worker } from 'node:worker_threads';
import type { Clock, Log } from '../../../../base/index.ts';

/** A document that takes longer has no text. */
const LIMIT_MS = 20_000;
/** Memory of the thread, in MiB. */
const MEMORY_MIB = 256;
/** Characters of one document that are searched. */
const TEXT_MAX = 8 * 1024 * 1024;

interface PdfTextsDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads one document at a time; the others wait. */
export class PdfTexts {
  readonly #deps: PdfTextsDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: PdfTextsDeps) {
    this.#deps = deps;
  }

  /** The text, pages apart by an empty line; undefined when it cannot be read: damaged, encrypted, too large or too slow. */
  async text(bytes: Uint8Array): Promise<string | undefined> {
    const reading = this.#last.then(() => this.#read(bytes));
    this.#last = reading;
    return reading;
  }

  async #read(bytes: Uint8Array): Promise<string | undefined> {
    const { clock, log } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<string | Error>();
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const worker = new Worker(new URL(`./pdf-worker${extension}`, import.meta.url), {
      // A copy: the bytes may be a view of a larger buffer, which the thread need not see.
      workerData: Uint8Array.from(bytes),
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    worker.once('message', (text: string) => resolve(text.slice(0, TEXT_MAX)));
    worker.once('error', resolve);
    worker.once('exit', () => resolve(new Error('the reading thread ended without a text')));
    const cancel = clock.after(LIMIT_MS, () => resolve(new Error(`not read within ${LIMIT_MS} ms`)));
    const found = await promise;
    cancel();
    await worker.terminate();
    if (typeof found === 'string') return found;
    log.info('a PDF has no text that can be read', { reason: found.message });
    return undefined;
  }
}
