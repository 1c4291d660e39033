import type { Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { type FormatName, malformed } from '../envelope/index.ts';
import { messageTooLarge } from '../faults/index.ts';
import { decompress } from '../http/index.ts';
import { parseQuery } from '../rest/index.ts';

/** True when a GET says it is a Connect call. */
export const isConnectGet = (query: string): boolean => /(^|&)connect=v1(&|$)/.test(query);

/** Encoding named by a Connect GET; throws INVALID_ARGUMENT for another one. */
export const getFormat = (query: string): FormatName => {
  const encoding = Object.fromEntries(parseQuery(query))['encoding'];
  if (encoding === 'proto' || encoding === 'json') return encoding;
  throw malformed('encoding must be proto or json');
};

/** Message bytes of a Connect GET: `message`, base64url with `base64=1`, packed with `compression=gzip` or `br`. */
export const readGetMessage = (query: string, limit: ByteLimit, done: (body: Buffer | Fault) => void): void => {
  const parameters = new Map(parseQuery(query));
  const text = parameters.get('message') ?? '';
  const bytes = parameters.get('base64') === '1' ? Buffer.from(text, 'base64url') : Buffer.from(text);
  const compression = parameters.get('compression') ?? '';
  if (compression === '' || compression === 'identity') return done(bytes);
  if (compression !== 'gzip' && compression !== 'br')
    return done(malformed('compression must be gzip, br or identity'));
  decompress(compression, { bytes, limit: limit.bytes }, (result) => {
    if (result === undefined) done(messageTooLarge(limit));
    else done(result instanceof Error ? malformed(`message is not valid ${compression}`) : result);
  });
};
