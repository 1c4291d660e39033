import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UploadFacts } from '../file-facts.ts';
import type { LinkKey } from '../objects/index.ts';

/** What a link of an upload is good for. */
type SignedUpload = Pick<UploadFacts, 'id' | 'sizeBytes' | 'sha256' | 'expiresAt'> & { readonly key: string };

const PATH = '/v1/uploads/';

/** Signs links of uploads: HMAC-SHA256 over method, id, object, size, hash and expiry; the only credential. */
export class UploadSignatures {
  readonly #key: Pick<LinkKey, 'bytes'>;

  constructor(key: Pick<LinkKey, 'bytes'>) {
    this.#key = key;
  }

  /** Path of the gateway that takes the bytes. */
  link(upload: SignedUpload): string {
    return `${PATH}${upload.id}?exp=${upload.expiresAt}&sig=${this.#sign(upload)}`;
  }

  /** True for the signature of exactly this upload; compares in constant time. */
  isGood(upload: SignedUpload, signature: string): boolean {
    const expected = Buffer.from(this.#sign(upload));
    const given = Buffer.from(signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  #sign({ id, key, sizeBytes, sha256, expiresAt }: SignedUpload): string {
    const text = ['PUT', id, key, sizeBytes, sha256, expiresAt].join('\n');
    return createHmac('sha256', this.#key.bytes).update(text).digest('base64url');
  }
}
