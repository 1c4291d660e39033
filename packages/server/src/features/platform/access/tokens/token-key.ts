import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { keyFileUnusable, readPrivateFile } from '../../../../base/index.ts';

/** The Ed25519 key by which tokens are signed; its id is the thumbprint of the public half (RFC 7638). */
export interface TokenKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

/** A new key (Ed25519). */
export const makeTokenKey = (): TokenKey => tokenKey(generateKeyPairSync('ed25519').privateKey);

/** The private half as text; to be sealed before it is stored. */
export const textOfTokenKey = ({ privateKey }: TokenKey): string =>
  JSON.stringify({ key: privateKey.export({ format: 'jwk' }) });

/** Throws for a text that holds no Ed25519 key. */
export const parseTokenKey = (text: string): TokenKey => {
  const { key } = JSON.parse(text) as { readonly key: JWK };
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  return tokenKey(privateKey);
};

/**
 * The signing key that a release before kept in `<dataDir>/keys/tokens.json`; undefined when there is none. Throws KEY_FILE
 * when others may read it or it is damaged.
 */
export const readTokenKeyFile = async (dataDir: string): Promise<TokenKey | undefined> => {
  const path = join(dataDir, 'keys', 'tokens.json');
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    return parseTokenKey(text);
  } catch (cause) {
    throw keyFileUnusable(path, 'holds no usable key', cause);
  }
};

const tokenKey = (privateKey: KeyObject): TokenKey => {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  const id = thumbprint(jwk);
  return { id, privateKey, publicJwk: { ...jwk, kid: id, alg: 'EdDSA', use: 'sig' } };
};

/** RFC 7638 for keys of its kind (RFC 8037): SHA-256 over the required members in the order of their names. */
const thumbprint = ({ crv, kty, x }: JWK): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
