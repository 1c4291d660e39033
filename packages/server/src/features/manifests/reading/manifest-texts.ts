import { Worker } from 'node:worker_threads';
import { type CancelTimer, type Clock, Fault, invalidField, type Steps } from '../../../base/index.ts';
import type { ManifestFinding } from '../../../resources/manifest/index.ts';
import { nodeOfText, type ReadText } from '../../../resources/manifest/syntax/index.ts';

/** Texts up to this size are read where they are: a few milliseconds. */
export const LARGE_TEXT_CHARACTERS = 8 * 1024;
/** Lines of one text, comments included. */
const LINES_MAX = 300_000;
/** A text that takes longer is refused. */
const LIMIT_MS = 20_000;
/** The thread ends when it was not needed for so long. */
const IDLE_MS = 5_000;
/** Memory of the thread, in MiB. */
const MEMORY_MIB = 512;
/** Of it for new values: small, so that little is kept of what reading leaves behind. */
const YOUNG_MIB = 16;

/** What the thread answers: the nodes of each document as one text. */
export interface ThreadAnswer {
  readonly documents: readonly (readonly [index: number, node: string])[];
  readonly count: number;
  readonly findings: readonly ManifestFinding[];
}

/** Reads large texts of manifests in a thread, one at a time; the others wait. */
export class ManifestTexts {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #endIdle: CancelTimer = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What `readingText` would say of the text, as steps of one document each. INVALID_ARGUMENT for too many lines,
   * RESOURCE_EXHAUSTED TOO_LARGE for a text that cannot be read within 20 s or 512 MiB.
   */
  async read(text: string): Promise<Steps<ReadText>> {
    if (hasMoreLines(text, LINES_MAX)) throw invalidField('text', `more than ${LINES_MAX} lines`, 'TOO_LARGE');
    const reading = this.#last.then(() => this.#ask(text));
    this.#last = reading.catch(() => undefined);
    return unpacking(await reading);
  }

  async #ask(text: string): Promise<ThreadAnswer> {
    this.#endIdle();
    const worker = this.#started();
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const failed = (why: string, cause?: unknown): void =>
      reject(new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `text: ${why}; split it into several calls`, { cause }));
    const onError = (error: Error): void => failed('it needs too much memory to be read', error);
    const cancel = this.#clock.after(LIMIT_MS, () => failed(`not read within ${LIMIT_MS / 1_000} s`));
    worker.once('message', resolve);
    worker.once('error', onError);
    worker.postMessage(text);
    try {
      return await promise;
    } catch (error) {
      this.#worker = undefined;
      await worker.terminate();
      throw error;
    } finally {
      cancel();
      worker.off('message', resolve);
      worker.off('error', onError);
      if (this.#worker !== undefined) this.#endIdle = this.#clock.after(IDLE_MS, () => this.#end());
    }
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const worker = new Worker(new URL(`./manifest-worker${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    // Neither the thread nor its timer keeps a process alive that has stopped.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function* unpacking({ documents, count, findings }: ThreadAnswer): Steps<ReadText> {
  const nodes = new Map<number, ReturnType<typeof nodeOfText>>();
  for (const [index, text] of documents) {
    nodes.set(index, nodeOfText(text));
    yield;
  }
  return { documents: nodes, count, findings };
}

const hasMoreLines = (text: string, limit: number): boolean => {
  let at = -1;
  for (let lines = 0; lines <= limit; lines++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return false;
  }
  return true;
};
