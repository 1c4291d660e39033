import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../base/index.ts';

/** What the Authorization header holds; undefined when it is absent. */
export type Credential =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly password: string };

const FORM = /^([A-Za-z]+) +([^ ].*)$/;

/** Reads an Authorization header; scheme words are case-insensitive. Throws CREDENTIALS_INVALID. */
export const parseAuthorization = (header: string): Credential => {
  const [, scheme = '', value = ''] = FORM.exec(header.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { scheme: 'bearer', token: value.trim() };
    case 'basic': {
      const text = Buffer.from(value.trim(), 'base64').toString('utf8');
      const colon = text.indexOf(':');
      if (colon < 0) throw credentialsInvalid();
      return { scheme: 'basic', password: text.slice(colon + 1) };
    }
    default:
      throw credentialsInvalid();
  }
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Equality in constant time, for texts of any length. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

/** What is stored instead of a random secret: SHA-256, which is enough for secrets that cannot be guessed. */
export const secretHash = (secret: string): Buffer => digest(secret);

/** Compares a hash with a stored one, in hexadecimal, in constant time. */
export const isSameHash = (given: Buffer, stored: string): boolean => {
  const expected = Buffer.from(stored, 'hex');
  return expected.length === given.length && timingSafeEqual(given, expected);
};

/** `sub:<sha256>`: the identity of a subject that is kept out of logs. */
export const subjectIdentity = (subject: string): string => `sub:${digest(subject).toString('hex')}`;

/** UNAUTHENTICATED: the call carries no credential. */
export const credentialsMissing = (): Fault =>
  new Fault('UNAUTHENTICATED', 'CREDENTIALS_MISSING', 'a credential is required');

/** UNAUTHENTICATED: unknown or malformed; the error does not say which. */
export const credentialsInvalid = (): Fault =>
  new Fault('UNAUTHENTICATED', 'CREDENTIALS_INVALID', 'the credential is not valid');

/** UNAUTHENTICATED: expired. */
export const credentialsExpired = (): Fault =>
  new Fault('UNAUTHENTICATED', 'CREDENTIALS_EXPIRED', 'the credential has expired');

/** UNAUTHENTICATED: a known API key that was revoked. */
export const keyRevoked = (): Fault => new Fault('UNAUTHENTICATED', 'KEY_REVOKED', 'the API key was revoked');
