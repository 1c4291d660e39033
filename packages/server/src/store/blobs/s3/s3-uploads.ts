import type { AnnouncedBytes, DirectUploads, UploadLink, UploadVerdict } from '../../contracts/index.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { ObjectSender } from './object-sender.ts';
import { LIST_MAX, type S3Bucket } from './s3-bucket.ts';
import type { Spool } from './spool.ts';

const MICROS_PER_SECOND = 1_000_000;

export interface S3UploadsDeps {
  readonly bucket: Pick<S3Bucket, 'head' | 'get' | 'copy' | 'remove' | 'list' | 'signedPut'>;
  readonly keys: ObjectKeys;
  readonly spool: Spool;
  readonly sender: ObjectSender;
}

/**
 * Bytes that clients send to the bucket over signed links. They arrive under `uploads/<end of the link>-<id>`; what
 * was checked lies under the key of its hash. A service that computed the SHA-256 itself when the bytes arrived is believed
 * and copies them; from any other they are read back, and exactly the bytes that were hashed are stored.
 */
export class S3Uploads implements DirectUploads {
  readonly #deps: S3UploadsDeps;

  constructor(deps: S3UploadsDeps) {
    this.#deps = deps;
  }

  link(announced: AnnouncedBytes): Promise<UploadLink> {
    const { bucket, keys } = this.#deps;
    const seconds = Math.floor((announced.expiresAt - announced.createdAt) / MICROS_PER_SECOND);
    return bucket.signedPut(keys.upload(announced), announced, seconds);
  }

  async accept(announced: AnnouncedBytes): Promise<UploadVerdict> {
    const { bucket, keys } = this.#deps;
    const key = keys.upload(announced);
    const sent = await bucket.head(key);
    if (sent === undefined) return 'empty';
    const wrong = wrongSize(sent, announced);
    if (wrong !== undefined) return wrong;
    if (sent.sha256 === undefined) return this.#readBack(key, announced);
    if (sent.sha256 !== announced.sha256) return 'hash';
    // A client that replaced the bytes since then had to send the same ones, or the service checks less than it says.
    const isCopied = await bucket.copy({ key, etag: sent.etag }, keys.object(announced.sha256));
    return isCopied ? 'accepted' : this.#readBack(key, announced);
  }

  async discard(announced: AnnouncedBytes): Promise<void> {
    await this.#deps.bucket.remove(this.#deps.keys.upload(announced));
  }

  async collect(beforeMicros: number): Promise<number> {
    const { bucket, keys } = this.#deps;
    const page = await bucket.list(keys.uploads, '', LIST_MAX);
    const ended = page.keys.filter((key) => (keys.expiryOf(key) ?? beforeMicros) < beforeMicros);
    for (const key of ended) await bucket.remove(key);
    return ended.length;
  }

  async #readBack(key: string, announced: AnnouncedBytes): Promise<UploadVerdict> {
    const { bucket, spool, sender } = this.#deps;
    const found = await bucket.get(key);
    if (found === undefined) return 'empty';
    try {
      const wrong = wrongSize(found, announced);
      if (wrong !== undefined) return wrong;
      return await spool.hold(found.bytes, found.sizeBytes, async (held) => {
        if (held.sha256 !== announced.sha256) return 'hash';
        await sender.sendFile(held);
        return 'accepted';
      });
    } finally {
      found.discard();
    }
  }
}

const wrongSize = (
  found: { readonly sizeBytes: number },
  announced: { readonly sizeBytes: number },
): 'empty' | 'size' | undefined => {
  if (found.sizeBytes === announced.sizeBytes) return undefined;
  return found.sizeBytes === 0 ? 'empty' : 'size';
};
