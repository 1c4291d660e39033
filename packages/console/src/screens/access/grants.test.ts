import { create } from '@bufbuild/protobuf';
import { ApiKeySchema, GrantSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { grantOf, grantText, holdingsThatReach, newGrant, stateOfKey } from './grants.ts';

it('says in words what a grant lets its holder do', () => {
  const texts = [
    { role: 'admin' },
    { role: 'viewer', namespace: 'shop', readSecrets: true },
    { role: 'operator', namespace: 'shop', agent: 'clerk' },
    { role: 'operator', namespace: 'shop', agent: 'clerk', session: 's1' },
    { role: 'viewer', namespace: 'shop', channel: 'desk' },
    { role: 'viewer', namespace: '' },
  ].map((grant) => grantText(create(GrantSchema, grant)));
  expect(texts).toEqual([
    'admin on everywhere',
    'viewer on shop and below, reads secrets',
    'operator on agent clerk in shop',
    'operator on session s1 of agent clerk in shop',
    'viewer on channel desk in shop',
    'viewer on nothing',
  ]);
});

it('sends no scope that was left empty', () => {
  expect(grantOf(newGrant)).toEqual({ role: 'viewer', readSecrets: false });
  expect(grantOf({ ...newGrant, namespace: 'shop', agent: ' ' })).toEqual({
    role: 'viewer',
    readSecrets: false,
    namespace: 'shop',
  });
});

it('knows whether a key works', () => {
  const state = (fields: { readonly expiresAt?: bigint; readonly revokedAt?: bigint }): string =>
    stateOfKey(create(ApiKeySchema, fields), 1_000);
  expect(state({})).toBe('active');
  expect(state({ expiresAt: 1_000_001n })).toBe('active');
  expect(state({ expiresAt: 1_000_000n })).toBe('expired');
  expect(state({ expiresAt: 9_000_000n, revokedAt: 1n })).toBe('revoked');
});

it('finds who reaches a namespace', () => {
  const holding = (holder: string, namespace?: string) => ({
    holder,
    grant: create(GrantSchema, namespace === undefined ? {} : { namespace }),
  });
  const all = [holding('root'), holding('shop', 'shop'), holding('desk', 'desk'), holding('lab', 'lab')];
  const names = (ns: string): readonly string[] =>
    holdingsThatReach(all, ns, (below) => (below === 'desk' ? ['shop'] : [])).map(({ holder }) => holder);
  expect(names('desk')).toEqual(['root', 'shop', 'desk']);
  expect(names('shop')).toEqual(['root', 'shop']);
  expect(names('')).toEqual(['root', 'shop', 'desk', 'lab']);
});
