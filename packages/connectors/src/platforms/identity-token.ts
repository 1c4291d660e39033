import type { JWTVerifyGetKey } from 'jose';

interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Where the public keys of the issuer are. */
  readonly keysUrl: string;
}

/** The claims of a token that the issuer signed for this audience and that is still valid. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads the bearer token of webhooks that platforms sign with keys of their own. The keys are fetched when the first token comes, and
 * again when one names a key that is not known. Returns undefined for a token that is missing or wrong; throws when the keys cannot be fetched, so
 * that the platform sends its webhook again.
 */
export function identityTokens({
  issuer,
  audience,
  keysUrl,
}: TokenIssuer): (headers: Headers) => Promise<Claims | undefined> {
  let keys: JWTVerifyGetKey | undefined;
  return async (headers) => {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return undefined;
    const { createRemoteJWKSet, errors, jwtVerify } = await import('jose');
    keys ??= createRemoteJWKSet(new URL(keysUrl));
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        clockTolerance: 300,
        algorithms: ['RS256'],
      });
      return payload;
    } catch (error) {
      const isUnreachable = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout;
      if (isUnreachable || isBadAnswer(error)) throw error;
      return undefined;
    }
  };
}

/** jose has no class of its own for an address that answers something else than keys. */
const isBadAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_JOSE_GENERIC';
