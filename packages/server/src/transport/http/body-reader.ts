import type { Readable } from 'node:stream';
import { GatheredBody } from './gathered-body.ts';

/**
 * Collects a request body up to `limit` bytes; `declared` is its content-length. Hands over undefined once it is larger and
 * drops the rest; says nothing when the peer goes away half-way, because no one is left to answer.
 */
export const collectBody = (
  source: Readable,
  { limit, declared }: { readonly limit: number; readonly declared: string | undefined },
  take: (body: Buffer | undefined) => void,
): void => {
  const body = new GatheredBody(limit, declared);
  let done = false;
  source.on('data', (piece: Buffer) => {
    if (done) return;
    body.add(piece);
    if (body.size <= limit) return;
    done = true;
    take(undefined);
  });
  source.on('end', () => {
    if (done) return;
    done = true;
    take(body.whole());
  });
};
