import { type Client, createClient } from '@svc/client';
import { type Credential, clientCredentials } from '../access/credential.ts';

/** A client of the server that served this page. */
export const clientFor = (credential: Credential): Client =>
  createClient({
    baseUrl: location.origin,
    ...clientCredentials(credential),
    // Without this a browser would show its own dialog for a refused password.
    fetch: (url, request) => fetch(url, { ...request, credentials: 'omit', cache: 'no-store' }),
  });
