import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, scryptSync } from 'node:crypto';
import { Fault, type Random } from '../../../base/index.ts';
import { HASHED_PREFIX, SEALED_PREFIX, type ValueHash, type ValueSeal } from '../../../resources/index.ts';

/** One key of AES-256-GCM. */
export interface SealingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SHORTEST_TEXT = 16;
const SALT = 'svc secrets key';
/** Hashes have a key of their own, so that what they tell says nothing about the cipher. */
const HASH_PURPOSE = 'svc keyed hash';

/**
 * The keys that encrypt secret values at rest: the newest seals, also when another process just added it, every one opens. A sealed text is
 * `sealed:v1:<key id>:<nonce, ciphertext, tag>`; the place of the value is authenticated with it. A hashed value is
 * `hashed:v1:<key id>:<HMAC-SHA-256>` and compares by the key it names, also after a rotation.
 */
export class KeyRing implements ValueSeal, ValueHash {
  readonly #keys = new Map<string, Uint8Array>();
  readonly #random: Pick<Random, 'fill'>;
  readonly #more: () => readonly SealingKey[];
  #newest: SealingKey;

  /** `keys` oldest first; at least one. `more`: keys as they are now, of which another process may have added the last. */
  constructor(keys: readonly SealingKey[], random: Pick<Random, 'fill'>, more: () => readonly SealingKey[] = () => []) {
    const newest = keys.at(-1);
    if (newest === undefined)
      throw new Fault('FAILED_PRECONDITION', 'KEY_MISSING', 'there is no key to encrypt secrets with');
    for (const key of keys) this.#keys.set(key.id, key.bytes);
    this.#random = random;
    this.#more = more;
    this.#newest = newest;
  }

  get newestId(): string {
    return this.#newest.id;
  }

  /** From now on `key` seals. */
  add(key: SealingKey): void {
    this.#keys.set(key.id, key.bytes);
    this.#newest = key;
  }

  /** True when a key of that id is in the ring. */
  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  seal(place: string, plain: string): string {
    this.#learn();
    const { id, bytes } = this.#newest;
    const nonce = this.#random.fill(new Uint8Array(NONCE_BYTES));
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${SEALED_PREFIX}${encodeURIComponent(id)}:${sealed.toString('base64')}`;
  }

  open(place: string, sealed: string): string | undefined {
    const [id, body] = partsOf(sealed);
    const key = this.#find(id);
    if (key === undefined || body.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
    try {
      const plain = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    } catch {
      // A failed tag is an answer here: the text was not sealed by this key for this place.
      return undefined;
    }
  }

  isNewest(sealed: string): boolean {
    this.#learn();
    return partsOf(sealed)[0] === this.#newest.id;
  }

  hash(place: string, plain: string): string {
    this.#learn();
    const { id, bytes } = this.#newest;
    return `${HASHED_PREFIX}${encodeURIComponent(id)}:${hashOf(bytes, place, plain)}`;
  }

  isHashOf(hashed: string, place: string, plain: string): boolean {
    if (!hashed.startsWith(HASHED_PREFIX)) return false;
    const [id = '', digest] = hashed.slice(HASHED_PREFIX.length).split(':');
    const key = this.#find(decoded(id));
    return key !== undefined && hashOf(key, place, plain) === digest;
  }

  #find(id: string): Uint8Array | undefined {
    if (!this.#keys.has(id)) this.#learn();
    return this.#keys.get(id);
  }

  #learn(): void {
    for (const key of this.#more()) if (!this.#keys.has(key.id)) this.add(key);
  }
}

const hashOf = (key: Uint8Array, place: string, plain: string): string => {
  const own = Buffer.from(hkdfSync('sha256', key, '', HASH_PURPOSE, KEY_BYTES));
  return createHmac('sha256', own).update(`${place}\n${plain}`).digest('base64url');
};

const partsOf = (sealed: string): readonly [string, Buffer] => {
  const [id = '', body = ''] = sealed.slice(SEALED_PREFIX.length).split(':');
  return [decoded(id), Buffer.from(body, 'base64')];
};

/** Id of the key that sealed a text; '' for a text of another form. */
export const sealingKeyId = (sealed: string): string => partsOf(sealed)[0];

const decoded = (id: string): string => {
  try {
    return decodeURIComponent(id);
  } catch {
    // Not an id that svc made: no key will be found.
    return '';
  }
};

/** A key from configured text: 32 bytes in base64 or hex, else derived from the text. Refuses short ones. */
export const keyFromText = (id: string, text: string): SealingKey => {
  const exact = [Buffer.from(text, 'hex'), Buffer.from(text, 'base64')].find((bytes) => bytes.length === KEY_BYTES);
  if (exact !== undefined && (text.length === 64 || text.length <= 44)) return { id, bytes: exact };
  if (text.length < SHORTEST_TEXT)
    throw new Fault(
      'FAILED_PRECONDITION',
      'KEY_TOO_SHORT',
      `secrets.keys: key ${id} needs 32 bytes in base64 or hex, or at least ${SHORTEST_TEXT} characters`,
    );
  return { id, bytes: scryptSync(text, SALT, KEY_BYTES) };
};

/** A fresh random key; its id is a fingerprint that says nothing about it. */
export const freshKey = (random: Pick<Random, 'fill'>): SealingKey => {
  const bytes = random.fill(new Uint8Array(KEY_BYTES));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 12), bytes };
};
