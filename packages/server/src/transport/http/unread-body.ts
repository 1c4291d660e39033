import type { Readable } from 'node:stream';

/** Most bytes of a refused body that are still taken off the connection. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A sender of a refused body that is silent for so long is cut off. */
export const UNREAD_SILENCE_MS = 5000;

/** A body up to this length costs less to receive than a new connection. */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Takes and drops what is left of a body whose answer is already out. Most clients read the answer only after they sent
 * everything, and closing under an upload makes them lose it. Calls `done` once: at the end, at 32 MiB, or at a break.
 */
export const dropBody = (source: Readable, done: () => void): void => {
  let leftBytes = MOST_BYTES;
  const finish = (): void => {
    source.off('data', take);
    source.off('end', finish);
    source.off('close', finish);
    done();
  };
  const take = (piece: Buffer): void => {
    leftBytes -= piece.length;
    if (leftBytes <= 0) finish();
  };
  source.on('data', take);
  source.once('end', finish);
  source.once('close', finish);
  source.resume();
};
