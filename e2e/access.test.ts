import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { ServerProcess } from './server-process/index.ts';

const token = 'a token of the tests';
const password = 'a password of the tests';
const secret = 'a jwt secret of the tests';

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
/** HS256 token; `claims` are laid over valid ones. */
const jwt = (claims: object, key = secret): string => {
  const now = Math.floor(Date.now() / 1000);
  const head = base64('{"alg":"HS256","typ":"JWT"}');
  const body = base64(JSON.stringify({ sub: 'tester', aud: 'svc', exp: now + 600, ...claims }));
  return `${head}.${body}.${createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')}`;
};
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe('a server that would be open to everyone', () => {
  it.each(['0.0.0.0:0', '[::]:0', ':0'])('refuses to start at %s', async (listen) => {
    const end = await ServerProcess.refusal({ environment: { SVC_SERVER_LISTEN: listen } });
    expect(end.code).toBe(1);
    expect(end.log).toContain('AUTH_REQUIRED');
  });

  it.each([
    ['an unknown key of auth', { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: 'short' }, 'auth.token'],
    ['none beside another mode', { SVC_AUTH_MODE: 'none,token', SVC_AUTH_TOKEN: token }, 'auth.mode'],
    ['a provider of no known type', { SVC_MODELS_PROVIDERS: '{"x":{"type":"nothing"}}' }, 'models.providers'],
  ])('refuses to start with %s and names the key', async (_, environment, key) => {
    const end = await ServerProcess.refusal({ environment });
    expect(end.code).toBe(1);
    expect(end.log).toContain(key);
  });
});

describe('auth mode token', () => {
  it('lets nobody in without the token, on any transport, and everybody with it', async () => {
    await using server = await ServerProcess.start({ environment: { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: token } });
    const anonymous = new RestCaller(server.url);
    const missing = await anonymous.call<{ error: { details: [{ reason: string }] } }>('GET /v1/namespaces');
    expect(missing.status).toBe(401);
    expect(missing.body.error.details[0].reason).toBe('CREDENTIALS_MISSING');
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    const wrong = new RestCaller(server.url, bearer(`${token}!`));
    expect((await wrong.call('GET /v1/namespaces')).status).toBe(401);
    const connect = await anonymous.fetch('/svc.gateway.GatewayService/ListNamespaces', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([connect.status, ((await connect.json()) as { code: string }).code]).toEqual([401, 'unauthenticated']);
    const owner = new RestCaller(server.url, bearer(token));
    expect((await owner.call('GET /v1/namespaces')).status).toBe(200);
    expect((await anonymous.fetch('/healthz')).status).toBe(200);
    expect((await anonymous.fetch('/metrics')).status).toBe(401);
    expect((await owner.fetch('/metrics')).status).toBe(200);
  });
});

describe('auth mode password', () => {
  it('takes the password of any user and no other', async () => {
    const environment = { SVC_AUTH_MODE: 'password', SVC_AUTH_PASSWORD: password };
    await using server = await ServerProcess.start({ environment });
    const basic = (value: string) => ({ authorization: `Basic ${Buffer.from(`anyone:${value}`).toString('base64')}` });
    expect((await new RestCaller(server.url, basic(password)).call('GET /v1/namespaces')).status).toBe(200);
    expect((await new RestCaller(server.url, basic('other')).call('GET /v1/namespaces')).status).toBe(401);
  });
});

describe('auth mode jwt', () => {
  it('takes claims as grants and refuses what is expired, foreign or beyond them', async () => {
    const environment = { SVC_AUTH_MODE: 'jwt', SVC_AUTH_JWT_SECRET: secret };
    await using server = await ServerProcess.start({ environment });
    const as = (claims: object, key?: string): RestCaller => new RestCaller(server.url, bearer(jwt(claims, key)));
    const statusOf = async (rest: RestCaller, what: string, body?: object): Promise<number> =>
      (await rest.call(what, body)).status;
    const owner = as({});
    await owner.ok('POST /v1/namespaces/team', {});
    await owner.ok('POST /v1/ns/team/agents', { name: 'one' });
    await owner.ok('POST /v1/ns/default/agents', { name: 'one' });

    const viewer = as({ 'svc:ns': 'team', 'svc:role': 'viewer' });
    expect(await statusOf(viewer, 'GET /v1/ns/team/agents/one')).toBe(200);
    expect(await statusOf(viewer, 'GET /v1/ns/default/agents/one')).toBe(403);
    expect(await statusOf(viewer, 'GET /v1/ns/missing/agents/one')).toBe(403);
    expect(await statusOf(viewer, 'POST /v1/ns/team/agents/one/sessions', {})).toBe(403);
    const operator = as({ 'svc:ns': 'team', 'svc:role': 'operator' });
    expect(await statusOf(operator, 'POST /v1/ns/team/agents/one/sessions', {})).toBe(200);
    expect(await statusOf(operator, 'POST /v1/ns/team/agents', { name: 'two' })).toBe(403);

    const past = Math.floor(Date.now() / 1000) - 60;
    expect(await statusOf(as({ exp: past }), 'GET /v1/namespaces')).toBe(401);
    expect(await statusOf(as({ aud: 'other' }), 'GET /v1/namespaces')).toBe(401);
    expect(await statusOf(as({}, 'a secret of somebody else'), 'GET /v1/namespaces')).toBe(401);
    const unsigned = `${base64('{"alg":"none"}')}.${base64('{"sub":"x","aud":"svc","exp":99999999999}')}.`;
    expect(await statusOf(new RestCaller(server.url, bearer(unsigned)), 'GET /v1/namespaces')).toBe(401);
  });
});
