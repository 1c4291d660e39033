import { destination } from 'pino';

/** A line waits this long for others, so that a busy process writes many at once. */
const FLUSH_MS = 20;
/** From so many characters on, lines are written at once. */
const BATCH_LENGTH = 16_384;
/** Characters of one system call. */
const WRITE_LENGTH = 65_536;
/** Lines of a reader that stopped reading: beyond this they are dropped, the process goes on. */
const MAX_WAITING_LENGTH = 16_777_216;

/** Where lines go. */
export interface LineWriter {
  write(line: string): void;
  /** Everything written so far is out when this returns; before the process ends. */
  flush(): void;
}

/**
 * Standard error. `batched` collects the lines of a few milliseconds and writes them without holding anybody up; otherwise
 * a line is out before the call returns. Whoever batches has to flush when the process ends.
 */
export const stderrWriter = ({ batched }: { readonly batched: boolean }): LineWriter => {
  if (!batched) {
    const stream = destination({ fd: 2, sync: true });
    return { write: (line) => void stream.write(line), flush: () => stream.flushSync() };
  }
  const stream = destination({
    fd: 2,
    sync: false,
    minLength: BATCH_LENGTH,
    maxWrite: WRITE_LENGTH,
    maxLength: MAX_WAITING_LENGTH,
  });
  let timer: NodeJS.Timeout | undefined;
  const flushSoon = (): void => {
    timer = undefined;
    stream.flush();
  };
  return {
    write: (line) => {
      stream.write(line);
      timer ??= setTimeout(flushSoon, FLUSH_MS).unref();
    },
    flush: () => {
      clearTimeout(timer);
      timer = undefined;
      stream.flushSync();
    },
  };
};
