import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'the administrator of this test';
let app: AppUnderTest;

beforeAll(async () => {
  app = await AppUnderTest.start({ 'auth.mode': 'token', 'auth.token': TOKEN });
});
afterAll(() => app[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  // Bodies of a dozen operations; each test knows its own.
  readonly body: never;
}

const call = async (what: string, body?: object, headers: Record<string, string> = admin): Promise<Answer> => {
  const [method = '', path = ''] = what.split(' ');
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as never };
};
const admin = { authorization: `Bearer ${TOKEN}` };

it('an API key made over REST signs in, mints a token, and ends both when it is revoked', async () => {
  const grants = [{ role: 'operator', namespace: 'default' }];
  const made = await call('POST /v1/auth/api-keys', { name: 'ci', grants });
  expect(made.status).toBe(200);
  const { key, secret }: { key: { id: string }; secret: string } = made.body;
  const byKey = { 'x-api-key': secret };
  expect((await call('GET /v1/auth/whoami', undefined, byKey)).body).toMatchObject({
    ...{ mode: 'api-key', identity: `key:${key.id}` },
    grants: [{ role: 'operator', namespace: 'default' }],
  });
  const minted = await call('POST /v1/auth/tokens', { grants, subject_suffix: 'job' }, byKey);
  const { accessToken }: { accessToken: string } = minted.body;
  const byToken = { authorization: `Bearer ${accessToken}` };
  expect((await call('GET /v1/auth/whoami', undefined, byToken)).body).toMatchObject({
    ...{ mode: 'minted', subject: `key:${key.id}:job` },
  });
  const keySet = (await call('GET /.well-known/jwks.json', undefined, {})).body as JSONWebKeySet;
  const { payload } = await jwtVerify(accessToken, createLocalJWKSet(keySet));
  expect(payload.aud).toBe('svc');
  expect((await call('DELETE /v1/auth/api-keys/nobody')).status).toBe(404);
  expect((await call(`DELETE /v1/auth/api-keys/${key.id}`)).status).toBe(200);
  for (const headers of [byKey, byToken]) {
    const refused = await call('GET /v1/auth/whoami', undefined, headers);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([401, expect.stringContaining('KEY_REVOKED')]);
  }
  const listed = await call('GET /v1/auth/api-keys?include_revoked=true');
  expect(listed.body).toMatchObject({ keys: [{ id: key.id, prefix: `svc_${key.id}` }] });
});

it('a failed sign-in stands in the audit log', async () => {
  expect((await call('GET /v1/namespaces', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  // The refusal does not wait for its record.
  const listed = async (): Promise<unknown> => {
    const { body } = await call('GET /v1/auth/audit?operation=sign-in');
    const { records }: { records: unknown } = body;
    return records;
  };
  await expect
    .poll(listed)
    .toContainEqual(expect.objectContaining({ target: 'Credential/bearer', outcome: 'CREDENTIALS_INVALID' }));
});

it('the configuration in force is shown with its sources and without its secrets', async () => {
  const { body } = await call('GET /v1/admin/configuration');
  const { values }: { values: { key: string; valueJson: string; source: string }[] } = body;
  const find = (key: string) => values.find((value) => value.key === key);
  expect(find('auth.mode')).toMatchObject({ valueJson: '["token"]' });
  expect(find('limits.labels')).toMatchObject({ valueJson: '64', source: 'default' });
  expect(find('auth.token')?.valueJson).not.toBe('null');
  expect(JSON.stringify(values)).not.toContain(TOKEN);
});

it('the doctor finds a fresh instance well', async () => {
  const { body } = await call('POST /v1/admin/doctor:run', { online: true });
  const { checks }: { checks: { name: string; result: string; detail: string }[] } = body;
  expect(checks.filter(({ result }) => result === 'fail')).toEqual([]);
  expect(checks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'store integrity', result: 'ok', detail: 'sound' }),
      expect.objectContaining({ name: 'default model', result: 'ok' }),
      expect.objectContaining({ name: 'audit chain', result: 'ok' }),
    ]),
  );
});
