import type { Credentials } from '@svc/client';

/** What a person signed in with. `none` is for servers that want nothing. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'apiKey'; readonly apiKey: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | {
      readonly kind: 'provider';
      readonly token: string;
      /** With which the token is renewed, and where. */
      readonly refresh?: { readonly token: string; readonly endpoint: string };
    };

const KEY = 'svc.credential';

/** The credential of this tab, else the one that the person chose to keep in this browser. */
export const readCredential = (): Credential => {
  const text = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  const found: unknown = text === null ? undefined : JSON.parse(text);
  return isCredential(found) ? found : { kind: 'none' };
};

/** Remembers a credential: until the tab is closed, or with `keep` until the person signs out. */
export const writeCredential = (credential: Credential, keep: boolean): void => {
  forgetCredential();
  if (credential.kind !== 'none') (keep ? localStorage : sessionStorage).setItem(KEY, JSON.stringify(credential));
};

export const forgetCredential = (): void => {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
};

/** The form in which the client library takes it. */
export const clientCredentials = (credential: Credential): Credentials => {
  if (credential.kind === 'token' || credential.kind === 'provider') return { token: credential.token };
  if (credential.kind === 'apiKey') return { apiKey: credential.apiKey };
  if (credential.kind === 'password') return { basic: { user: credential.user, password: credential.password } };
  return {};
};

const isCredential = (value: unknown): value is Credential =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ['none', 'token', 'apiKey', 'password', 'provider'].includes(String(value.kind));

/** The headers that carry it, for requests that the client library does not make. */
export const credentialHeaders = (credential: Credential): Readonly<Record<string, string>> => {
  if (credential.kind === 'token' || credential.kind === 'provider')
    return { authorization: `Bearer ${credential.token}` };
  if (credential.kind === 'apiKey') return { 'x-api-key': credential.apiKey };
  if (credential.kind === 'password')
    return { authorization: `Basic ${btoa(unescapedUtf8(`${credential.user}:${credential.password}`))}` };
  return {};
};

/** One character for each byte of the text in UTF-8, which is what `btoa` takes. */
const unescapedUtf8 = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
