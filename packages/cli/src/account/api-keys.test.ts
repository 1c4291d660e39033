import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const ID = '0198a0b0c0d07000800000000000000a';
const SECRET = `svc_${ID}_${'s'.repeat(43)}`;
const key = { id: ID, name: 'ci', grants: [{ role: 'viewer', namespace: 'acme', agent: 'h', readSecrets: true }] };

const creating = (requests: object[]) => ({
  unary: {
    CreateApiKey: (request: object) => {
      requests.push(request);
      return { key, secret: SECRET };
    },
  },
});

describe('svc apikey create', () => {
  it.each([
    ['apikey', 'create'],
    ['create', 'apikey'],
  ])('%s %s: the key alone goes to standard output', async (...command) => {
    const requests: object[] = [];
    const fake = fakeHost({ handlers: creating(requests) });
    const grants = ['--grant', 'viewer@acme/h', 'operator@acme:team/a/s', '--grant', 'admin', '--read-secrets'];
    expect(await fake.run(...command, 'ci', ...grants)).toBe(0);
    expect(fake.out()).toBe(`${SECRET}\n`);
    expect(fake.err()).toBe(`key ${ID} for viewer@acme/h+secrets; it is not shown again:\n`);
    expect(requests).toMatchObject([
      {
        name: 'ci',
        grants: [
          { role: 'viewer', namespace: 'acme', agent: 'h', readSecrets: true },
          { role: 'operator', namespace: 'acme:team', agent: 'a', session: 's' },
          { role: 'admin', readSecrets: true },
        ],
      },
    ]);
    expect(requests[0]).not.toHaveProperty('expiresAt');
  });

  it('makes one for a namespace to come with --force', async () => {
    const requests: object[] = [];
    const fake = fakeHost({ handlers: creating(requests) });
    await fake.run('apikey', 'create', 'ci', '--grant', 'viewer@acme');
    await fake.run('apikey', 'create', 'ci', '--grant', 'viewer@acme', '--force');
    expect(requests).toMatchObject([{ force: false }, { force: true }]);
  });

  it('takes a time from now or a date as its end', async () => {
    const requests: { readonly expiresAt?: bigint }[] = [];
    const fake = fakeHost({ handlers: creating(requests) });
    const now = fake.host.nowMs();
    for (const expires of ['30d', '2h', '2030-01-31T00:00:00Z'])
      await fake.run('apikey', 'create', 'ci', '--grant', 'viewer', '--expires', expires);
    expect(requests.map(({ expiresAt }) => Number(expiresAt) / 1_000)).toEqual([
      ...[now + 30 * 86_400_000, now + 7_200_000],
      Date.parse('2030-01-31T00:00:00Z'),
    ]);
  });

  it.each([
    [[], 'at least one grant'],
    [['--grant', 'owner@acme'], 'owner@acme is not a valid grant'],
    [['--grant', 'viewer@'], 'viewer@ is not a valid grant'],
    [['--grant', 'viewer@a/b/c/d'], 'is not a valid grant'],
    [['--grant', 'viewer', '--expires', 'soon'], 'soon is not a valid time'],
  ])('with %o is refused without a call', async (flags, text) => {
    const requests: object[] = [];
    const fake = fakeHost({ handlers: creating(requests) });
    expect(await fake.run('apikey', 'create', 'ci', ...flags)).toBe(exitCodes.refused);
    expect(fake.err()).toContain(text);
    expect(requests).toEqual([]);
  });

  it('prints key and secret as JSON', async () => {
    const fake = fakeHost({ handlers: creating([]) });
    await fake.run('apikey', 'create', 'ci', '--grant', 'viewer', '-o', 'json');
    expect(JSON.parse(fake.out())).toMatchObject({ key: { id: ID, name: 'ci' }, secret: SECRET });
  });
});

describe('svc apikey list', () => {
  const pages = {
    unary: {
      ListApiKeys: (request: { readonly pageToken: string; readonly includeRevoked: boolean }) =>
        request.pageToken === ''
          ? { keys: [{ ...key, expiresAt: 1n }], nextPageToken: 'more' }
          : { keys: request.includeRevoked ? [{ ...key, id: 'b', name: 'old', revokedAt: 1n }] : [] },
    },
  };

  it('shows all pages, revoked keys when asked for', async () => {
    const fake = fakeHost({ handlers: pages });
    expect(await fake.run('apikey', 'list', '--revoked')).toBe(0);
    expect(fake.out()).toMatch(/^ID +NAME +GRANTS +CREATED +LAST USED +STATE\n/);
    expect(fake.out()).toMatch(new RegExp(`${ID} +ci +viewer@acme/h\\+secrets +- +- +expired `));
    expect(fake.out()).toMatch(/b +old .* revoked /);
  });

  it('prints names and JSON', async () => {
    const names = fakeHost({ handlers: pages });
    await names.run('apikey', 'list', '-o', 'name');
    expect(names.out()).toBe(`apikey/${ID}\n`);
    const json = fakeHost({ handlers: pages });
    await json.run('apikey', 'list', '-o', 'json');
    expect(JSON.parse(json.out())).toMatchObject([{ id: ID }]);
    const lines = fakeHost({ handlers: pages });
    await lines.run('apikey', 'list', '-o', 'jsonl');
    expect(JSON.parse(lines.out())).toMatchObject({ id: ID });
  });
});

describe('svc apikey revoke', () => {
  it('takes the id, the beginning of the key, or the whole key', async () => {
    const ids: string[] = [];
    const handlers = {
      unary: {
        RevokeApiKey: ({ id }: { readonly id: string }) => {
          ids.push(id);
          return { key };
        },
      },
    };
    for (const text of [ID, `svc_${ID}`, SECRET]) {
      const fake = fakeHost({ handlers });
      expect(await fake.run('apikey', 'revoke', text)).toBe(0);
      expect(fake.out()).toBe(`apikey/${ID} revoked\n`);
    }
    expect(ids).toEqual([ID, ID, ID]);
  });

  it('of a key that is not there ends with 4', async () => {
    const handlers = {
      unary: {
        RevokeApiKey: () => {
          throw new FakeFault('NOT_FOUND', 'API_KEY_NOT_FOUND');
        },
      },
    };
    expect(await fakeHost({ handlers }).run('apikey', 'revoke', 'x')).toBe(exitCodes.notFound);
  });
});
