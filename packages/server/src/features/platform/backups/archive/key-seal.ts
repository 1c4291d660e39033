import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { Fault, type Random } from '../../../../base/index.ts';
import { archiveDamaged } from './archive-faults.ts';

/** Key files by their name below `keys/`. */
export type KeyFiles = Readonly<Record<string, Uint8Array>>;

/** Work that a guess of the passphrase costs: 128 MiB and about half a second (RFC 7914). */
const COST = { N: 131_072, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const PASSPHRASE_CHARACTERS = 12;
const CIPHER = 'aes-256-gcm';
const FILE_NAME = /^[a-z][a-z0-9-]*\.json$/;

interface SealedText {
  readonly kdf: 'scrypt';
  readonly cost: { readonly N: number; readonly r: number; readonly p: number };
  readonly cipher: typeof CIPHER;
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}

/** Throws INVALID_ARGUMENT PASSPHRASE for one that is too short. */
const checkPassphrase = (passphrase: string): void => {
  if (passphrase.length < PASSPHRASE_CHARACTERS)
    throw new Fault(
      'INVALID_ARGUMENT',
      'PASSPHRASE',
      `the passphrase of the keys must have at least ${PASSPHRASE_CHARACTERS} characters`,
    );
};

const derive = (passphrase: string, salt: Buffer, cost: SealedText['cost']): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * cost.N * cost.r;
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

/** Encrypts key files by a passphrase (scrypt, AES-256-GCM). Throws INVALID_ARGUMENT PASSPHRASE. */
export const sealKeys = async (
  files: KeyFiles,
  passphrase: string,
  random: Pick<Random, 'fill'>,
): Promise<Uint8Array> => {
  checkPassphrase(passphrase);
  const [salt, nonce] = [SALT_BYTES, NONCE_BYTES].map((bytes) => Buffer.from(random.fill(new Uint8Array(bytes))));
  if (salt === undefined || nonce === undefined) throw new Error('two random values were asked for');
  const cipher = createCipheriv(CIPHER, await derive(passphrase, salt, COST), nonce);
  const texts = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  const data = Buffer.concat([cipher.update(JSON.stringify(Object.fromEntries(texts))), cipher.final()]);
  const sealed: SealedText = {
    kdf: 'scrypt',
    cost: COST,
    cipher: CIPHER,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
  return Buffer.from(`${JSON.stringify(sealed)}\n`);
};

/** The key files again. Throws PERMISSION_DENIED PASSPHRASE for another passphrase. */
export const openKeys = async (sealed: Uint8Array, passphrase: string): Promise<KeyFiles> => {
  const { kdf, cost, cipher, ...texts } = JSON.parse(Buffer.from(sealed).toString()) as SealedText;
  if (kdf !== 'scrypt' || cipher !== CIPHER) throw archiveDamaged(`its keys are sealed by ${kdf} and ${cipher}`);
  const [salt, nonce, tag, data] = [texts.salt, texts.nonce, texts.tag, texts.data].map((text) =>
    Buffer.from(text, 'base64'),
  );
  if (salt === undefined || nonce === undefined || tag === undefined || data === undefined)
    throw archiveDamaged('its keys are incomplete');
  const decipher = createDecipheriv(CIPHER, await derive(passphrase, salt, cost), nonce, { authTagLength: 16 });
  decipher.setAuthTag(tag);
  let text: string;
  try {
    text = Buffer.concat([decipher.update(data), decipher.final()]).toString();
  } catch (cause) {
    throw new Fault('PERMISSION_DENIED', 'PASSPHRASE', 'this is not the passphrase of the keys in the archive', {
      cause,
    });
  }
  const files = Object.entries(JSON.parse(text) as Record<string, string>);
  const strange = files.find(([name]) => !FILE_NAME.test(name));
  if (strange !== undefined) throw archiveDamaged(`${strange[0]} is not a key file`);
  return Object.fromEntries(files.map(([name, bytes]) => [name, Buffer.from(bytes, 'base64')]));
};
