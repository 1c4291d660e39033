import { Fault } from '../../../../base/index.ts';
import { namesTag } from '../../../../base/network/index.ts';
import type { HttpExchange, HttpStream } from '../../../../operations/index.ts';
import type { BlobStore } from '../../../../store/contracts/index.ts';

/** An object as a download shows it. */
interface SentObject {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly filename: string;
}

/** What a header can carry: other media types come from stored records and from tools. */
const HEADER_TEXT = /^[\t\x20-\x7e]+$/;
/** Characters that encodeURIComponent leaves and RFC 8187 does not. */
const UNENCODED = /['()*]/g;

const encoded = (filename: string): string =>
  encodeURIComponent(filename).replace(UNENCODED, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Headers of every download: the bytes are never run, and the hash is the validator. */
const downloadHeaders = ({ sha256, mediaType, filename }: Omit<SentObject, 'sizeBytes'>): Record<string, string> => ({
  'content-type': HEADER_TEXT.test(mediaType) ? mediaType : 'application/octet-stream',
  etag: `"${sha256}"`,
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'content-disposition': `attachment; filename*=UTF-8''${encoded(filename === '' ? sha256 : filename)}`,
});

/** Transport makes HTTP 416 of it, with the size in `content-range`. */
const rangeInvalid = (sizeBytes: number): Fault =>
  new Fault('OUT_OF_RANGE', 'RANGE_INVALID', `the range lies behind the ${sizeBytes} bytes that there are`, {
    metadata: { content_range: `bytes */${sizeBytes}` },
  });

/**
 * Answers an object or the range asked for. The whole object is read and checked whatever is asked; the last piece goes out
 * only once the hash was right, so that damaged bytes never make a complete answer. Throws DATA_LOSS OBJECT_DAMAGED,
 * OUT_OF_RANGE RANGE_INVALID, and what
 * `signal` was aborted with: a client that left ends the read.
 */
export const sendObject = async (
  blobs: Pick<BlobStore, 'stream'>,
  exchange: HttpExchange,
  { signal, ...object }: SentObject & { readonly signal: AbortSignal },
): Promise<void> => {
  const { sha256, sizeBytes } = object;
  const headers = { ...downloadHeaders(object), 'accept-ranges': 'bytes' };
  if (namesTag(exchange.header('if-none-match'), `"${sha256}"`)) return exchange.answer(304, headers);
  const condition = exchange.header('if-range');
  const asked = condition === undefined || condition === `"${sha256}"` ? exchange.header('range') : undefined;
  const range = readRange(asked, sizeBytes);
  if (range === 'unsatisfiable') throw rangeInvalid(sizeBytes);
  const span = range ?? { start: 0, end: sizeBytes };
  const place = range === undefined ? {} : { 'content-range': `bytes ${span.start}-${span.end - 1}/${sizeBytes}` };
  await sendPieces(pieces(blobs.stream(sha256), span), exchange, {
    status: range === undefined ? 200 : 206,
    headers: { ...headers, ...place },
    length: span.end - span.start,
    signal,
  });
};

/** The pieces of a whole that lie in the span; the whole is read to its end. */
async function* pieces(source: AsyncIterable<Uint8Array>, { start, end }: ByteSpan): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
    at += chunk.length;
    if (piece.length > 0) yield piece;
  }
}

/** Each piece goes out once there is a next one, the last one once the source ended well. */
const sendPieces = async (
  source: AsyncIterable<Uint8Array>,
  exchange: HttpExchange,
  answer: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly length: number;
    readonly signal: AbortSignal;
  },
): Promise<void> => {
  const { status, headers, length, signal } = answer;
  let stream: HttpStream | undefined;
  let held: Uint8Array | undefined;
  for await (const piece of source) {
    if (held !== undefined) {
      stream ??= exchange.stream(status, { ...headers, 'content-length': String(length) });
      if (!stream.write(held)) await drained(stream, signal);
    }
    signal.throwIfAborted();
    held = piece;
  }
  const last = held ?? new Uint8Array(0);
  if (stream === undefined) return exchange.answer(status, headers, last);
  stream.write(last);
  stream.end();
};

/** The reader caught up, or left and never will. */
const drained = (stream: HttpStream, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      signal.removeEventListener('abort', goOn);
      resolve();
    };
    stream.onDrained(goOn);
    signal.addEventListener('abort', goOn);
    if (signal.aborted) goOn();
  });

/** Bytes [start, end) of a whole. */
interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * What a `Range` header asks of `sizeBytes`: undefined = the whole (no header, several ranges or another unit, which a
 * server may skip), 'unsatisfiable' = 416.
 */
const readRange = (header: string | undefined, sizeBytes: number): ByteSpan | 'unsatisfiable' | undefined => {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const count = Math.min(Number(last), sizeBytes);
    return count === 0 ? 'unsatisfiable' : { start: sizeBytes - count, end: sizeBytes };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
};
