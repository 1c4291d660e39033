import { Buffer } from 'node:buffer';
import { type BlobStore, ByteMeasure, isObjectHash, objectNotFound, verifiedBytes } from '../../contracts/index.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { ObjectSender } from './object-sender.ts';
import type { FoundBytes, NamedBytes, S3Bucket } from './s3-bucket.ts';
import type { Spool } from './spool.ts';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface S3BlobsDeps {
  readonly bucket: Pick<S3Bucket, 'head' | 'get' | 'remove' | 'list'>;
  readonly keys: ObjectKeys;
  readonly spool: Spool;
  readonly sender: ObjectSender;
}

/** The blob contract over a bucket. What is there already is written again: equal bytes, and a damaged object heals. */
export class S3Blobs implements BlobStore {
  readonly #deps: S3BlobsDeps;

  constructor(deps: S3BlobsDeps) {
    this.#deps = deps;
  }

  async put(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    { limitBytes = Number.POSITIVE_INFINITY }: { readonly limitBytes?: number } = {},
  ): Promise<NamedBytes> {
    const { sender, spool } = this.#deps;
    if (!(bytes instanceof Uint8Array))
      return spool.hold(bytes, limitBytes, async (held) => {
        await sender.sendFile(held);
        return { sha256: held.sha256, sizeBytes: held.sizeBytes };
      });
    const measure = new ByteMeasure(limitBytes);
    measure.add(bytes);
    const named = { sha256: measure.end(), sizeBytes: measure.sizeBytes };
    await sender.sendBytes(bytes, named);
    return named;
  }

  async read(sha256: string): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(sha256)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *stream(sha256: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const stat = range === undefined ? undefined : await this.stat(sha256);
    if (range !== undefined && stat === undefined) throw objectNotFound(sha256);
    const span = { start: Math.max(0, range?.start ?? 0), end: Math.min(range?.end ?? 0, stat?.sizeBytes ?? 0) };
    if (stat === undefined || (span.start === 0 && span.end === stat.sizeBytes))
      yield* verifiedBytes((await this.#find(sha256)).bytes, sha256);
    else if (span.start < span.end) yield* cut(await this.#find(sha256, span), span);
  }

  async stat(sha256: string): Promise<{ readonly sizeBytes: number } | undefined> {
    if (!isObjectHash(sha256)) return undefined;
    const found = await this.#deps.bucket.head(this.#deps.keys.object(sha256));
    return found === undefined ? undefined : { sizeBytes: found.sizeBytes };
  }

  async delete(sha256: string): Promise<void> {
    if (isObjectHash(sha256)) await this.#deps.bucket.remove(this.#deps.keys.object(sha256));
  }

  async list(after: string, limit: number): Promise<readonly string[]> {
    const { bucket, keys } = this.#deps;
    const found: string[] = [];
    for (let behind = after === '' ? '' : keys.object(after); ; ) {
      const page = await bucket.list(keys.objects, behind, limit - found.length);
      found.push(...page.keys.map((key) => keys.hashOf(key) ?? '').filter((hash) => hash > after));
      behind = page.keys.at(-1) ?? behind;
      if (!page.hasMore || found.length >= limit) return found;
    }
  }

  async #find(sha256: string, span?: ByteRange): Promise<FoundBytes> {
    const { bucket, keys } = this.#deps;
    const found = isObjectHash(sha256) ? await bucket.get(keys.object(sha256), span) : undefined;
    if (found === undefined) throw objectNotFound(sha256);
    return found;
  }
}

/** The span out of what came, wherever that begins and ends. */
async function* cut({ start, bytes }: FoundBytes, span: ByteRange): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const chunk of bytes) {
    const piece = chunk.subarray(Math.max(0, span.start - at), Math.max(0, span.end - at));
    at += chunk.byteLength;
    if (piece.byteLength > 0) yield piece;
    if (at >= span.end) return;
  }
}
