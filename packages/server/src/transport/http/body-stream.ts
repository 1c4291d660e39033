import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { isFault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { tooLarge } from '../faults/index.ts';
import type { ContentEncoding } from './compression.ts';
import type { Exchange } from './exchange.ts';
import { bodyEncoding, checkDeclaredLength, damagedBody } from './request-body.ts';

/** The connection went away before the body was whole. */
export class BodyBroken extends Error {}

/**
 * A request body as it comes, unpacked, never more of it in memory than what is on its way: a slow reader slows the sender.
 * Both sizes stay within the limit. Throws the Fault that refuses it, and BodyBroken when the peer goes away half-way.
 */
export async function* requestBodyPieces(exchange: Exchange, limit: ByteLimit): AsyncGenerator<Uint8Array> {
  if (!exchange.hasBody) return;
  checkDeclaredLength(exchange, limit);
  const encoding = bodyEncoding(exchange);
  const sent = sentPieces(exchange, limit);
  yield* encoding === undefined ? sent : unpacked(sent, { encoding, limit });
}

/** As it was sent. Leaving early does not end the connection, on which the answer is still to go out. */
async function* sentPieces(exchange: Exchange, limit: ByteLimit): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  const source: Readable = exchange.bodyStream();
  try {
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      sizeBytes += (piece as Uint8Array).length;
      if (sizeBytes > limit.bytes) throw tooLarge(413, limit);
      yield piece as Uint8Array;
    }
  } catch (error) {
    throw isFault(error) ? error : new BodyBroken('the peer went away', { cause: error });
  }
  // Over HTTP/2 a reset ends the body as well, half-way.
  if (exchange.closed) throw new BodyBroken('the peer went away');
}

async function* unpacked(
  sent: AsyncGenerator<Uint8Array>,
  { encoding, limit }: { readonly encoding: ContentEncoding; readonly limit: ByteLimit },
): AsyncGenerator<Uint8Array> {
  const first = await sent.next();
  if (first.done === true) return;
  let failure: unknown;
  const feed = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield first.value;
      yield* sent;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const decoder = encoding === 'gzip' ? createGunzip() : createBrotliDecompress();
  // The iteration below throws what ends the pipeline.
  const fed = pipeline(feed, decoder).catch(() => undefined);
  let sizeBytes = 0;
  try {
    for await (const piece of decoder) {
      sizeBytes += (piece as Uint8Array).length;
      if (sizeBytes > limit.bytes) throw tooLarge(413, limit);
      yield piece as Uint8Array;
    }
  } catch (error) {
    throw failure ?? (isFault(error) ? error : damagedBody(encoding));
  } finally {
    decoder.destroy();
    await fed;
  }
}
