import { isObjectHash } from '../../contracts/index.ts';

const HASH_CHARS = 64;
/** Digits of the expiry in an upload's key: micros until the year 2286, so that keys sort by time. */
const EXPIRY_DIGITS = 16;

/** Names of things in the bucket, all behind the configured prefix. */
export class ObjectKeys {
  /** Behind it lie the objects, in the order of their hashes. */
  readonly objects: string;
  /** Behind it lie bytes that clients sent, in the order in which their links end. */
  readonly uploads: string;

  constructor(prefix: string) {
    this.objects = `${prefix}objects/sha256/`;
    this.uploads = `${prefix}uploads/`;
  }

  object(sha256: string): string {
    return `${this.objects}${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
  }

  /** The hash of a key; undefined for a key that others put there. */
  hashOf(key: string): string | undefined {
    const hash = key.slice(-HASH_CHARS);
    return isObjectHash(hash) && this.object(hash) === key ? hash : undefined;
  }

  upload({ id, expiresAt }: { readonly id: string; readonly expiresAt: number }): string {
    return `${this.uploads}${String(expiresAt).padStart(EXPIRY_DIGITS, '0')}-${id}`;
  }

  /** When the link of an upload ended, in micros; undefined for a key that others put there. */
  expiryOf(key: string): number | undefined {
    const [, digits] = /^(\d{16})-/.exec(key.slice(this.uploads.length)) ?? [];
    return digits === undefined ? undefined : Number(digits);
  }
}
