import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { keyFileUnusable, makePrivateFile, readPrivateFile } from '../../../base/index.ts';

/** The Ed25519 key by which this node signs tokens; its id is the thumbprint of the public half (RFC 7638). */
export interface TokenKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

/**
 * The signing key in `<dataDir>/keys/tokens.json`, readable by its owner only; made at the first start. Throws KEY_FILE
 * when others may read it or it is damaged. Losing the file only ends the tokens that it signed.
 */
export const openTokenKey = async (dataDir: string): Promise<TokenKey> => {
  const path = join(dataDir, 'keys', 'tokens.json');
  return parseKey(path, (await readPrivateFile(path)) ?? (await makeKey(path)));
};

const parseKey = (path: string, text: string): TokenKey => {
  try {
    const { key } = JSON.parse(text) as { readonly key: JWK };
    const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
    if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
    return tokenKey(privateKey);
  } catch (cause) {
    throw keyFileUnusable(path, 'holds no usable key', cause);
  }
};

/** Of several nodes that start at once on one directory the first makes the key of all. */
const makeKey = (path: string): Promise<string> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { id } = tokenKey(privateKey);
  const text = `${JSON.stringify({ key: privateKey.export({ format: 'jwk' }) }, null, 2)}\n`;
  return makePrivateFile(path, text, { draft: `${path}.${id}` });
};

const tokenKey = (privateKey: KeyObject): TokenKey => {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  const id = thumbprint(jwk);
  return { id, privateKey, publicJwk: { ...jwk, kid: id, alg: 'EdDSA', use: 'sig' } };
};

/** RFC 7638 for keys of its kind (RFC 8037): SHA-256 over the required members in the order of their names. */
const thumbprint = ({ crv, kty, x }: JWK): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
