import type { ClientEnvironment } from '../environment.ts';

/** Ways to sign in; leave all out for a server in auth mode none. */
export interface Credentials {
  /** Bearer token, minted token, JWT or API key; a function is called before every request, for renewal. */
  readonly token?: string | (() => string | Promise<string>);
  readonly apiKey?: string;
  readonly basic?: { readonly user?: string; readonly password: string };
}

/** The address of the server, and the options of requests. */
export interface Connection {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  /** Time limit of one attempt of a call that sets none, in milliseconds. */
  readonly timeoutMs: number;
  readonly environment: ClientEnvironment;
}

/** Headers that every request carries. */
export const commonHeaders = async (connection: Connection): Promise<Record<string, string>> => {
  const { token, apiKey, basic } = connection.credentials;
  const headers: Record<string, string> = { ...connection.headers };
  if (token !== undefined) headers['authorization'] = `Bearer ${typeof token === 'string' ? token : await token()}`;
  else if (apiKey !== undefined) headers['x-api-key'] = apiKey;
  else if (basic !== undefined)
    headers['authorization'] = `Basic ${base64(`${basic.user ?? 'svc'}:${basic.password}`)}`;
  return headers;
};

/** Base64 of UTF-8, the same in browsers and Node.js. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
