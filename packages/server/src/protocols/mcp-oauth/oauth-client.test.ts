import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, ManualClock } from '../../base/index.ts';
import { openHttpServer } from '../mcp/testing/http-server.ts';
import { toolServer } from '../mcp/testing/tools.ts';
import { createMcpOAuth, type McpOAuth, type OAuthClientIdentity, type OAuthPlace } from './index.ts';
import { AuthorizationServer } from './testing/authorization-server.ts';
import { type Protection, protectedBy } from './testing/protected-server.ts';

const SELF = {
  redirectUrl: 'http://127.0.0.1:8787/v1/oauth/callback',
  documentUrl: 'https://svc.example/v1/oauth/client-metadata.json',
  softwareVersion: '1',
};
const REACH = { isTrusted: false };

let server: AuthorizationServer;
let clock: ManualClock;
let oauth: McpOAuth;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  server = await AuthorizationServer.start();
  open.push(server);
  clock = new ManualClock();
  oauth = createMcpOAuth({ fetch: () => fetch, clock });
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const protectedServer = async (protection: Protection = {}): Promise<string> => {
  const log = { calls: [], cancelled: [] };
  const intercept = protectedBy(server, { tokens: [] }, protection);
  const opened = await openHttpServer(toolServer({ log }), { intercept });
  open.push(opened);
  return opened.url;
};
const discover = async (protection: Protection = {}, headers = {}): Promise<OAuthPlace> =>
  oauth.discover({ url: await protectedServer(protection), headers }, REACH);
const kindOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: { readonly kind?: unknown }) => error.kind ?? error,
  );

/** Opens the address as a browser does, and answers with the query of the callback. */
const opened = async (url: string): Promise<URLSearchParams> => {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? 'none:').searchParams;
};

const signedIn = async (place: OAuthPlace, client: OAuthClientIdentity) => {
  const { redirectUrl } = SELF;
  const { url, verifier } = await oauth.begin(place, client, { redirectUrl, state: 'state' });
  const query = await opened(url);
  const [code = '', iss] = [query.get('code') ?? '', query.get('iss') ?? undefined];
  return { tokens: await oauth.exchange(place, client, { code, iss, verifier, redirectUrl, ...REACH }), verifier };
};

describe('a sign-in', () => {
  it('asks for exactly the server and the scopes that it names, with PKCE', async () => {
    const place = await discover({ scope: 'mail read' });
    const client = await oauth.register(place, SELF, REACH);
    const { url, verifier } = await oauth.begin(place, client, { redirectUrl: SELF.redirectUrl, state: 'abc' });
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: SELF.redirectUrl,
      state: 'abc',
      resource: place.resource,
      scope: 'mail read',
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    });
  });

  it('ends with tokens, which are refreshed in rotation and revoked', async () => {
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    const { tokens } = await signedIn(place, client);
    expect([tokens.expiresInSeconds, server.accepts(tokens.accessToken, place.resource)]).toEqual([3_600, true]);
    const next = await oauth.refresh(place, client, { refreshToken: tokens.refreshToken, ...REACH });
    expect([next.refreshToken === tokens.refreshToken, server.accepts(next.accessToken, place.resource)]).toEqual([
      false,
      true,
    ]);
    await oauth.revoke(place, client, { token: next.refreshToken, ...REACH });
    expect(await kindOf(oauth.refresh(place, client, { refreshToken: next.refreshToken, ...REACH }))).toBe('grant');
  });

  it('keeps a refresh token for which no other one comes', async () => {
    server.rotates = false;
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    const { refreshToken } = (await signedIn(place, client)).tokens;
    server.givesRefreshTokens = false;
    expect(await oauth.refresh(place, client, { refreshToken, ...REACH })).toMatchObject({ refreshToken });
  });

  it('needs no registration where metadata documents are taken', async () => {
    server.metadata = { client_id_metadata_document_supported: true };
    const place = await discover();
    const client = oauth.documentIdentity(place, SELF);
    expect(client).toEqual({ clientId: SELF.documentUrl, secretExpiresAt: 0 });
    expect(oauth.document(SELF)).toMatchObject({ client_id: SELF.documentUrl, redirect_uris: [SELF.redirectUrl] });
    expect((await signedIn(place, client as OAuthClientIdentity)).tokens.accessToken).not.toBe('');
    expect(server.count('/register')).toBe(0);
    // A document that cannot be fetched over TLS does not count.
    expect(oauth.documentIdentity(place, { ...SELF, documentUrl: 'http://127.0.0.1/x' })).toBeUndefined();
  });

  it('uses a secret where the authorization server wants one', async () => {
    server.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    expect(client.clientSecret).toBeDefined();
    expect((await signedIn(place, client)).tokens.accessToken).not.toBe('');
    server.forgetClients();
    expect(await kindOf(signedIn(place, client).catch(() => discoverAgain(place, client)))).toBe('client');
  });
});

/** A token request of a client that was forgotten. */
const discoverAgain = (place: OAuthPlace, client: OAuthClientIdentity) =>
  oauth.refresh(place, client, { refreshToken: 'x', ...REACH });

describe('an authorization server that is not what it should be', () => {
  it('is refused when its metadata names another issuer', async () => {
    server.metadata = { issuer: 'https://other.example' };
    expect(await kindOf(discover())).toBe('issuer');
  });

  it('is refused when another one answers, before the code goes anywhere', async () => {
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    server.answersAs = 'https://evil.example';
    expect(await kindOf(signedIn(place, client))).toBe('issuer');
    expect(server.count('/token')).toBe(0);
    expect(await kindOf(oauth.requireIssuer(place, undefined))).toBe('issuer');
    expect(await kindOf(oauth.requireIssuer(place, place.issuer))).toBe('fine');
  });

  it.each([
    ['code_challenge_methods_supported', undefined],
    ['code_challenge_methods_supported', ['plain']],
    ['token_endpoint', 'http://tokens.example/token'],
    ['authorization_endpoint', 'http://tokens.example/authorize'],
    ['authorization_endpoint', 'javascript:alert(1)'],
  ])('is refused for %s %j', async (name, value) => {
    server.metadata = { [name]: value };
    expect(['unsupported', 'malformed']).toContain(await kindOf(discover()));
  });

  it('cannot register svc where it offers no registration, or over an open line', async () => {
    server.metadata = { registration_endpoint: undefined };
    expect(await kindOf(discover().then((place) => oauth.register(place, SELF, REACH)))).toBe('unsupported');
    server.metadata = { registration_endpoint: 'http://tokens.example/register' };
    expect(await kindOf(discover().then((place) => oauth.register(place, SELF, REACH)))).toBe('unsupported');
  });

  it.each([
    ['breaks', 'unreachable'],
    ['babbles', 'malformed'],
    ['floods', 'malformed'],
  ] as const)('%s: the failure is %s', async (fault, kind) => {
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    server.faults = { '/token': fault };
    expect(await kindOf(oauth.refresh(place, client, { refreshToken: 'x', ...REACH }))).toBe(kind);
    server.faults = { '/.well-known/oauth-authorization-server': fault };
    expect(await kindOf(discover())).toBe(kind);
  });

  it('that is too slow costs 15 s, that is down is unreachable, and a stop ends the wait', async () => {
    const place = await discover();
    const client = await oauth.register(place, SELF, REACH);
    server.faults = { '/token': 'hangs' };
    const late = kindOf(oauth.refresh(place, client, { refreshToken: 'x', ...REACH }));
    await expect.poll(() => server.count('/token')).toBe(1);
    clock.advance(15_000);
    expect(await late).toBe('unreachable');
    const stop = new AbortController();
    const stopped = oauth.refresh(place, client, { refreshToken: 'x', ...REACH, signal: stop.signal });
    const reason = new Error('stopped');
    stop.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    await server.close();
    expect(await kindOf(oauth.refresh(place, client, { refreshToken: 'x', ...REACH }))).toBe('unreachable');
  });
});

describe('a server', () => {
  it('gets no tokens that are for another one, and is the only one that sees its headers', async () => {
    expect(await kindOf(discover({ resource: 'https://bank.example/mcp' }))).toBe('malformed');
    const seen: unknown[] = [];
    oauth = createMcpOAuth({
      clock,
      fetch: () => (url, init) => {
        if (new Headers(init?.headers).get('x-key') === 'mine') seen.push(new URL(url).pathname);
        return fetch(url, init);
      },
    });
    await discover({}, { 'x-key': 'mine' });
    expect(seen).toEqual(['/mcp']);
  });

  it('that names no authorization server, or one at a refused address, is told apart', async () => {
    expect(await kindOf(discover({ authorizationServers: [`${server.url}/nothing`] }))).toBe('unsupported');
    const refused = new Fault('PERMISSION_DENIED', 'ADDRESS_REFUSED', '10.0.0.1 is not a public address');
    oauth = createMcpOAuth({
      clock,
      fetch: () => (url, init) => (String(url).startsWith(server.url) ? Promise.reject(refused) : fetch(url, init)),
    });
    expect(await kindOf(discover())).toBe('refused');
    await expect(oauth.discover({ url: 'http://127.0.0.1:1/mcp', headers: {} }, REACH)).rejects.toThrow(
      'the MCP server could not be reached',
    );
  });
});
