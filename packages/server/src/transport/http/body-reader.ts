import type { Readable } from 'node:stream';

/**
 * Collects a request body up to `limit` bytes. Hands over undefined once it is larger and drops the rest;
 * says nothing when the peer goes away half-way, because nobody is left to answer.
 */
export const collectBody = (source: Readable, limit: number, take: (body: Buffer | undefined) => void): void => {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  let done = false;
  source.on('data', (piece: Buffer) => {
    if (done) return;
    size += piece.length;
    if (size > limit) {
      done = true;
      first = undefined;
      more = undefined;
      take(undefined);
    } else if (first === undefined) first = piece;
    else {
      more ??= [first];
      more.push(piece);
    }
  });
  source.on('end', () => {
    if (done) return;
    done = true;
    take(more === undefined ? (first ?? EMPTY) : Buffer.concat(more, size));
  });
};

const EMPTY = Buffer.alloc(0);
