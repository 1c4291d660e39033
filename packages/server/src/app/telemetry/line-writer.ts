import { write, writeSync } from 'node:fs';

/** A line waits this long for others, so that a busy process writes many in one call. */
const FLUSH_MS = 20;
/** Once this many characters are waiting, they are written at once. */
const BATCH_LENGTH = 16_384;
/** Lines kept for a reader that stopped reading: further ones are dropped, and the process continues. */
const MAX_WAITING_LENGTH = 16_777_216;
/** A full pipe is retried after this time. */
const RETRY_MS = 10;
/** How often the last lines are retried at a full pipe before the process ends without them. */
const LAST_TRIES = 100;

const STDERR = 2;

/** A place for lines. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what is waiting before it returns; called before the process ends. */
  flush(): void;
}

/** The calls of `node:fs` that a writer uses. */
export interface LineFile {
  /** Returns how much of `bytes` was written, or why nothing was. */
  write(bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** Throws as `writeSync` does. */
  writeSync(bytes: Uint8Array): number;
}

const stderrFile: LineFile = {
  write: (bytes, done) => write(STDERR, bytes, done),
  writeSync: (bytes) => writeSync(STDERR, bytes),
};

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN';

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Writes everything before it returns; if the reader is gone or the pipe stays full, lines are lost. */
const writeAll = (file: LineFile, bytes: Uint8Array): void => {
  let rest = bytes;
  for (let tries = 0; rest.length > 0 && tries < LAST_TRIES; ) {
    try {
      rest = rest.subarray(file.writeSync(rest));
    } catch (error) {
      if (!isFull(error)) return;
      tries += 1;
      pause(RETRY_MS);
    }
  }
};

/** Lines collected for some milliseconds and written in order, one write at a time, without blocking anything. */
export class BatchedLines implements LineWriter {
  readonly #file: LineFile;
  #waiting: string[] = [];
  #length = 0;
  #dropped = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: LineFile = stderrFile) {
    this.#file = file;
  }

  write(line: string): void {
    if (this.#length + line.length > MAX_WAITING_LENGTH) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#length += line.length;
    this.#arrange();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    writeAll(this.#file, this.#take());
  }

  #arrange(): void {
    if (this.#isWriting || this.#length === 0) return;
    if (this.#length >= BATCH_LENGTH) this.#send(this.#take());
    else this.#timer ??= setTimeout(() => this.#due(), FLUSH_MS).unref();
  }

  #due(): void {
    this.#timer = undefined;
    if (!this.#isWriting && this.#length > 0) this.#send(this.#take());
  }

  /** Everything that is waiting; says how many lines were dropped. */
  #take(): Uint8Array {
    if (this.#dropped > 0)
      this.#waiting.push(`{"level":"warn","msg":"log lines were dropped","lines":${this.#dropped}}\n`);
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#length = 0;
    this.#dropped = 0;
    return bytes;
  }

  #send(bytes: Uint8Array): void {
    this.#isWriting = true;
    this.#file.write(bytes, (error, written) => {
      if (isFull(error)) setTimeout(() => this.#send(bytes), RETRY_MS).unref();
      else if (error === null && written < bytes.length) this.#send(bytes.subarray(written));
      else {
        this.#isWriting = false;
        this.#arrange();
      }
    });
  }
}

/**
 * Standard error. Batched lines leave within milliseconds, and a caller that asks for them flushes when the process ends;
 * others are out before the call returns.
 */
export const stderrWriter = ({ batched }: { readonly batched: boolean }): LineWriter => {
  if (batched) return new BatchedLines();
  return { write: (line) => writeAll(stderrFile, Buffer.from(line)), flush: () => undefined };
};
