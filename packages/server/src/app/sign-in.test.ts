import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProviderProcess, startProvider } from '../auth/jwks/testing/index.ts';
import { AppUnderTest } from './testing/index.ts';

const SECRET = 'the password of the administrator';
let provider: ProviderProcess;
let app: AppUnderTest;

beforeAll(async () => {
  provider = await startProvider();
  const discovery = await provider.ask<{ jwks_uri: string; issuer: string }>('/.well-known/openid-configuration');
  app = await AppUnderTest.start({
    'auth.mode': 'jwks,password',
    'auth.password': SECRET,
    'auth.jwks.url': discovery.jwks_uri,
    'auth.jwks.issuer': discovery.issuer,
    'auth.jwks.rules': JSON.stringify([{ claim: 'groups', value: 'team', role: 'operator', namespace: 'default' }]),
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await provider.stop();
});

const token = (claims: object): Promise<string> =>
  provider.token({ claims: { iss: provider.issuer, sub: 'ann', aud: 'svc', exp: Date.now() / 1000 + 600, ...claims } });
const call = async (path: string, headers: Record<string, string>, body?: object) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(app.url + path, {
    ...init,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  return { status: response.status, text: await response.text() };
};
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

it('people of an OIDC provider sign in with the grants of their claims, or of the rules', async () => {
  const carried = await call('/v1/auth/whoami', bearer(await token({ 'svc:ns': 'acme', 'svc:role': 'viewer' })));
  expect(JSON.parse(carried.text)).toMatchObject({
    ...{ mode: 'jwks', subject: 'ann', grants: [{ role: 'viewer', namespace: 'acme' }] },
  });
  const ruled = bearer(await token({ groups: ['team'] }));
  expect((await call('/v1/ns/default/agents', ruled)).status).toBe(200);
  expect((await call('/v1/ns/default/agents', ruled, { name: 'x' })).status).toBe(403);
  const nobody = await call('/v1/auth/whoami', bearer(await token({})));
  expect([nobody.status, nobody.text]).toEqual([403, expect.stringContaining('PERMISSION_DENIED')]);
  expect((await call('/v1/auth/whoami', bearer(await token({ aud: 'other' })))).status).toBe(401);
});

it('passwords, API keys and minted tokens work beside them', async () => {
  const basic = { authorization: `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}` };
  const grants = [{ role: 'viewer', namespace: 'default' }];
  const made = await call('/v1/auth/api-keys', basic, { name: 'ci', grants });
  const { secret } = JSON.parse(made.text) as { secret: string };
  const minted = await call('/v1/auth/tokens', { 'x-api-key': secret }, { grants });
  const { accessToken } = JSON.parse(minted.text) as { accessToken: string };
  for (const headers of [basic, { 'x-api-key': secret }, bearer(secret), bearer(accessToken)])
    expect((await call('/v1/ns/default/agents', headers)).status).toBe(200);
  const ofPerson = await call('/v1/auth/tokens', bearer(await token({ groups: ['team'] })), { grants });
  expect(ofPerson.status).toBe(200);
});
