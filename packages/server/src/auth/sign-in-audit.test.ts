import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../base/index.ts';
import { openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import type { AuditRow } from '../store/contracts/index.ts';
import { AuditedAuthenticator, ModeAuthenticator, SIGN_IN_OPERATION } from './index.ts';

const TOKEN = 'the token of this test';
let world: ResourceWorld;
let authenticator: AuditedAuthenticator;

beforeEach(async () => {
  world = await openResourceWorld();
  const { store, audit, clock } = world;
  const inner = new ModeAuthenticator({ modes: ['token'], token: TOKEN }, clock, [
    (token) => (token === 'late' ? Promise.reject(new Error('the store is away')) : undefined),
  ]);
  authenticator = new AuditedAuthenticator(inner, { store, audit, clock, log: silentLog });
});
afterEach(() => world.close());

const signIn = async (headers: Readonly<Record<string, string>>): Promise<string> => {
  try {
    return (await authenticator.authenticate({ header: (name) => headers[name] })).identity;
  } catch (error) {
    return String((error as { readonly reason?: string }).reason);
  }
};
const records = async (): Promise<readonly AuditRow[]> => {
  await world.store.write(async () => undefined);
  return world.store.direct.audit.list({ operation: SIGN_IN_OPERATION, limit: 1_000 });
};

it('a failed sign-in is recorded with its kind and reason, without the credential', async () => {
  expect(await signIn({ authorization: 'Bearer wrong', 'x-request-id': 'r-1' })).toBe('CREDENTIALS_INVALID');
  expect(await signIn({ authorization: `Basic ${Buffer.from('u:wrong').toString('base64')}` })).toBe(
    'CREDENTIALS_INVALID',
  );
  expect(await signIn({ 'x-api-key': 'wrong', 'x-request-id': 'no id' })).toBe('CREDENTIALS_INVALID');
  expect(await signIn({ authorization: 'wrong' })).toBe('CREDENTIALS_INVALID');
  const found = await records();
  expect(found.map(({ target, requestId }) => [target, requestId])).toEqual([
    ['Credential/other', ''],
    ['Credential/x-api-key', ''],
    ['Credential/basic', ''],
    ['Credential/bearer', 'r-1'],
  ]);
  expect(found[0]).toMatchObject({ outcome: 'CREDENTIALS_INVALID', identity: 'anonymous', namespace: '' });
  expect(JSON.stringify(found)).not.toContain('wrong');
});

it('good and missing credentials are no failed sign-ins, nor are failures of the server', async () => {
  expect(await signIn({ authorization: `Bearer ${TOKEN}` })).toBe('token');
  expect(await signIn({})).toBe('CREDENTIALS_MISSING');
  expect(await signIn({ authorization: 'Bearer late' })).toBe('undefined');
  expect(await records()).toEqual([]);
});

it('guessing is recorded sixty times a minute and counted beyond that', async () => {
  for (let index = 0; index < 500; index++) await signIn({ 'x-api-key': 'wrong' });
  expect(await records()).toHaveLength(60);
  world.clock.advance(60_000);
  await signIn({ 'x-api-key': 'wrong' });
  const found = await records();
  expect(found).toHaveLength(62);
  expect(found.slice(0, 2).map(({ outcome }) => outcome)).toEqual([
    'CREDENTIALS_INVALID',
    '440 more, not recorded one by one',
  ]);
});
