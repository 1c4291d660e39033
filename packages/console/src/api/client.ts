import { type Client, type ClientOptions, createClient } from '@svc/client';
import { createPlainClient, type PlainClient } from '@svc/client/plain';
import { type Credential, clientCredentials } from '../access/credential.ts';

const optionsFor = (credential: Credential): ClientOptions => ({
  baseUrl: location.origin,
  ...clientCredentials(credential),
  // Without this a browser would show its own dialog for a refused password.
  fetch: (url, request) => fetch(url, { ...request, credentials: 'omit', cache: 'no-store' }),
});

/** A client of the server that served this page. */
export const clientFor = (credential: Credential): Client => createClient(optionsFor(credential));

/** The same for requests whose answer is no message, such as the bytes of a file. */
export const plainClientFor = (credential: Credential): PlainClient => createPlainClient(optionsFor(credential));
