import { sha256 } from '../../api/sha256.ts';

/** Answer of a token endpoint (RFC 6749, section 5.1; OpenID Connect Core 1.0, section 3.1.3.3). */
export interface TokenAnswer {
  readonly access_token?: string | undefined;
  readonly id_token?: string | undefined;
  readonly refresh_token?: string | undefined;
}

/** What a JSON Web Token says; undefined for a text that is none. Nothing is verified here: the server does that with every call. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> | undefined => {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (unit) =>
      unit.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? { ...claims } : undefined;
  } catch {
    return undefined;
  }
};

/** The token that is made for the server: the access token, else the ID token, whichever names the audience; undefined for neither. */
export const tokenFor = ({ access_token, id_token }: TokenAnswer, audience: string): string | undefined =>
  [access_token, id_token].find((token) => token !== undefined && isFor(claimsOf(token), audience));

const isFor = (claims: ReturnType<typeof claimsOf>, audience: string): boolean => {
  const named = claims?.['aud'];
  return named === audience || (Array.isArray(named) && named.includes(audience));
};

/** What an ID token must say: who signs people in, for which client, and for which sign-in. */
interface OwnSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
}

/** Whether an ID token belongs to a sign-in, and was not slipped in (OpenID Connect Core 1.0, section 3.1.3.7). */
export const belongsTo = (idToken: string, { issuer, clientId, nonce }: OwnSignIn): boolean => {
  const claims = claimsOf(idToken);
  return claims?.['iss'] === issuer && isFor(claims, clientId) && claims['nonce'] === nonce;
};

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** A text that cannot be guessed: 256 random bits. */
export const secretText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** `code_challenge` of method S256 (RFC 7636, section 4.2). */
export const challengeOf = async (verifier: string): Promise<string> => {
  const digits = await sha256(new Blob([verifier]));
  return base64Url(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
};

/** A token is renewed this long before it ends. */
const EARLY_MS = 60_000;
/** The longest time that a timer of a browser takes. */
const TIMER_MAX_MS = 2_147_483_647;

/**
 * How long to wait before a token is renewed that ends in `leftMs` milliseconds. One that lives shorter than a minute is renewed after half
 * of its time, not again and again.
 */
export const renewalWait = (leftMs: number): number => {
  const left = Math.max(0, leftMs);
  return Math.min(Math.max(left - EARLY_MS, left / 2), TIMER_MAX_MS);
};
