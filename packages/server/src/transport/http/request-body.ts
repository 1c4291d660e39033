import { Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { tooLarge, unsupportedMedia } from '../faults/index.ts';
import { type ContentEncoding, decompress } from './compression.ts';
import type { Exchange } from './exchange.ts';

const EMPTY = Buffer.alloc(0);

/** Throws 413 when the declared length is over the limit, before anything is read. */
export const checkDeclaredLength = (exchange: Exchange, limit: ByteLimit): void => {
  const declared = exchange.header('content-length');
  if (declared !== undefined && Number(declared) > limit.bytes) throw tooLarge(413, limit);
};

/** How the body is packed; undefined = not at all. Throws 415 for an encoding that is not supported. */
export const bodyEncoding = (exchange: Exchange): ContentEncoding | undefined => {
  const name = exchange.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === 'br') return 'br';
  throw unsupportedMedia(`content-encoding ${name} is not supported`, ['accept-encoding', 'gzip, br']);
};

/**
 * Whole request body, unpacked; both sizes stay within the limit. Hands over the body or the Fault that refuses it,
 * and nothing when the peer goes away.
 */
export const readRequestBody = (exchange: Exchange, limit: ByteLimit, done: (body: Buffer | Fault) => void): void => {
  if (!exchange.hasBody) return done(EMPTY);
  checkDeclaredLength(exchange, limit);
  const encoding = bodyEncoding(exchange);
  exchange.readBody(limit.bytes, (body) => {
    if (body === undefined) return done(tooLarge(413, limit));
    if (encoding === undefined || body.length === 0) return done(body);
    decompress(encoding, { bytes: body, limit: limit.bytes }, (result) => {
      if (result === undefined) done(tooLarge(413, limit));
      else if (result instanceof Error) done(damagedBody(encoding));
      else done(result);
    });
  });
};

/** INVALID_ARGUMENT for a body that its encoding cannot unpack. */
export const damagedBody = (encoding: string): Fault => {
  const description = `body is not valid ${encoding}`;
  return new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', description, {
    violations: [{ field: '', description, reason: 'FIELD_INVALID' }],
  });
};
