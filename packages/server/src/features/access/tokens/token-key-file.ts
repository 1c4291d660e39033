import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { Fault } from '../../../base/index.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** The Ed25519 key by which this node signs tokens; its id is the thumbprint of the public half (RFC 7638). */
export interface TokenKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

const unusable = (path: string, why: string, cause?: unknown): Fault =>
  new Fault('FAILED_PRECONDITION', 'KEY_FILE', `key file ${path} ${why}`, cause === undefined ? {} : { cause });

/**
 * The signing key in `<dataDir>/keys/tokens.json`, readable by its owner only; made at the first start. Throws KEY_FILE
 * when others may read it or it is damaged. Losing the file only ends the tokens that it signed.
 */
export const openTokenKey = async (dataDir: string): Promise<TokenKey> => {
  const directory = join(dataDir, 'keys');
  const path = join(directory, 'tokens.json');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const key = (await readKey(path)) ?? (await makeKey(path)) ?? (await readKey(path));
  if (key === undefined) throw unusable(path, 'vanished while it was opened');
  return key;
};

const readKey = async (path: string): Promise<TokenKey | undefined> => {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (facts === undefined) return undefined;
  if (process.platform !== 'win32' && (facts.mode & OTHERS) !== 0)
    throw unusable(path, `may be read by others: run chmod 600 ${path}`);
  const file = await open(path, 'r');
  try {
    return parseKey(path, await file.readFile('utf8'));
  } finally {
    await file.close();
  }
};

const parseKey = (path: string, text: string): TokenKey => {
  try {
    const { key } = JSON.parse(text) as { readonly key: JWK };
    const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
    if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
    return tokenKey(privateKey);
  } catch (cause) {
    throw unusable(path, 'holds no usable key', cause);
  }
};

/** Undefined when another process made the file meanwhile. */
const makeKey = async (path: string): Promise<TokenKey | undefined> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const file = await open(path, 'wx', OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    await file.writeFile(`${JSON.stringify({ key: privateKey.export({ format: 'jwk' }) }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return tokenKey(privateKey);
};

const tokenKey = (privateKey: KeyObject): TokenKey => {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  const id = thumbprint(jwk);
  return { id, privateKey, publicJwk: { ...jwk, kid: id, alg: 'EdDSA', use: 'sig' } };
};

/** RFC 7638 for keys of its kind (RFC 8037): SHA-256 over the required members in the order of their names. */
const thumbprint = ({ crv, kty, x }: JWK): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
