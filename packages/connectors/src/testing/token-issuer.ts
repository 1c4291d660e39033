import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose';

/** A service that signs tokens for webhooks: its public keys as the platform publishes them, and tokens. */
export interface TokenIssuer {
  readonly keys: { readonly keys: readonly object[] };
  /** For settings that need a private key. */
  readonly privateKey: string;
  token(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function createIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  return {
    keys: { keys: [key] },
    privateKey: await exportPKCS8(privateKey),
    token: async (claims) => {
      const seconds = Math.floor(Date.now() / 1_000);
      const payload = { iat: seconds, exp: seconds + 3_600, ...claims };
      return await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey);
    },
  };
}
