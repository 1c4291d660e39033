import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { ServerProcess } from './server-process/index.ts';

const token = 'a token of the tests';
const password = 'a password of the tests';
const secret = 'a jwt secret of the tests';

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
/** HS256 token; `claims` are added to valid ones, which grant nothing, or replace them. */
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
    const owner = as({ 'svc:ns': '*', 'svc:role': 'admin' });
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

  it('denies a token that spells out no grant, and names the claim at fault', async () => {
    const environment = { SVC_AUTH_MODE: 'jwt', SVC_AUTH_JWT_SECRET: secret };
    await using server = await ServerProcess.start({ environment });
    const refusal = async (claims: object) => {
      const call = new RestCaller(server.url, bearer(jwt(claims)));
      const { status, body } = await call.call<{ error: { message: string } }>('GET /v1/namespaces');
      return [status, body.error.message];
    };
    expect(await refusal({})).toEqual([403, expect.stringContaining('auth.jwt.defaultGrants is empty')]);
    expect(await refusal({ role: 'admin' })).toEqual([403, expect.stringContaining('did you mean "svc:role"?')]);
    expect(await refusal({ 'svc:namespace': 'team', 'svc:role': 'admin' })).toEqual([
      403,
      'claim svc:namespace of the token is not a claim of svc; did you mean "svc:ns"?',
    ]);
    expect(await refusal({ 'svc:ns': 'team' })).toEqual([403, expect.stringMatching(/^claim svc:role .* is missing/)]);
  });

  it('gives a token without claims what the operator configured', async () => {
    const environment = {
      ...{ SVC_AUTH_MODE: 'jwt', SVC_AUTH_JWT_SECRET: secret },
      SVC_AUTH_JWT_DEFAULT_GRANTS: '[{"role":"viewer","namespace":"default"}]',
    };
    await using server = await ServerProcess.start({ environment });
    const guest = new RestCaller(server.url, bearer(jwt({})));
    expect((await guest.call('GET /v1/ns/default/agents')).status).toBe(200);
    expect((await guest.call('GET /v1/ns/system/agents')).status).toBe(403);
    expect((await guest.call('POST /v1/ns/default/agents', { name: 'a' })).status).toBe(403);
  });

  it('lets the admin of a namespace apply its manifests and its export without repeating the namespace', async () => {
    const environment = { SVC_AUTH_MODE: 'jwt', SVC_AUTH_JWT_SECRET: secret };
    await using server = await ServerProcess.start({ environment });
    await using home = new Home();
    const root = new RestCaller(server.url, bearer(jwt({ 'svc:ns': '*', 'svc:role': 'admin' })));
    await root.ok('POST /v1/namespaces/team', {});
    const credential = jwt({ 'svc:ns': 'team', 'svc:role': 'admin' });
    const svc = async (...words: readonly string[]) => {
      const command = home.run(words, { SVC_SERVER: server.url, SVC_TOKEN: credential });
      return { exit: await command.ended(), out: command.stdout, err: command.stderr };
    };
    const skill = (namespace: string): string =>
      `kind: Skill\nmetadata: {name: tidy${namespace}}\nspec: {description: d, instructions: i}\n`;
    writeFileSync(join(home.path, 'own.yaml'), skill(', namespace: team'));
    expect(await svc('apply', '-f', 'own.yaml')).toMatchObject({ exit: 0 });
    const exported = await svc('export', '-n', 'team');
    expect(exported).toMatchObject({ exit: 0, out: expect.stringContaining('tidy') });
    writeFileSync(join(home.path, 'export.yaml'), exported.out);
    expect(await svc('apply', '-f', 'export.yaml')).toMatchObject({ exit: 0 });
    writeFileSync(join(home.path, 'nowhere.yaml'), skill(''));
    const refused = await svc('apply', '-f', 'nowhere.yaml');
    expect(refused.exit).not.toBe(0);
    expect(refused.err).toContain('not allowed in namespace default, where Skill default/tidy belongs');
    expect(refused.err).toContain('your grant is admin@team');
  });
});

describe('guessing credentials', () => {
  it('is slowed down and then refused for a while, which no valid credential notices', async () => {
    const environment = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: token, SVC_AUTH_FAILURE_LIMIT: '2' };
    await using server = await ServerProcess.start({ environment });
    const guess = new RestCaller(server.url, bearer('a wrong token of the tests'));
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await guess.call('GET /v1/namespaces')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
    const refused = await guess.call<{ error: { details: [{ reason: string }] } }>('GET /v1/namespaces');
    expect(refused.body.error.details[0].reason).toBe('SIGN_IN_LIMIT');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await new RestCaller(server.url, bearer(token)).call('GET /v1/namespaces')).status).toBe(200);
  });
});
