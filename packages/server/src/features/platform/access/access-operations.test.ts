import { AuthService, GatewayService, type ListAuditRecordsResponse, type WhoAmIResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ADMIN, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';

const { whoAmI, listAuditRecords } = AuthService.method;
const { createNamespace, createAgent, deleteNamespace } = GatewayService.method;
let world: ResourceWorld;

beforeEach(async () => {
  world = await openResourceWorld();
});
afterEach(() => world.close());

it('callers learn who they are and what they may do', async () => {
  const caller = {
    ...ADMIN,
    identity: 'key:7',
    expiresAt: 5,
    grants: [{ role: 'viewer' as const, namespace: 'acme', readSecrets: false }],
  };
  const answer: WhoAmIResponse = await world.call(whoAmI, {}, caller);
  expect(answer).toMatchObject({ identity: 'key:7', mode: 'none', serverVersion: '1.2.3', expiresAt: 5n });
  expect(answer.grants).toMatchObject([{ role: 'viewer', namespace: 'acme', readSecrets: false }]);
});

it('audit records are listed newest first, filtered, in pages, within the grant', async () => {
  await world.call(createNamespace, { name: 'acme:team', recursive: true });
  await world.call(createAgent, { ns: 'acme:team', name: 'a' });
  await world.call(createAgent, { ns: 'default', name: 'b' });
  const list = (request: object, caller = ADMIN): Promise<ListAuditRecordsResponse> =>
    world.call(listAuditRecords, request, caller);
  const targets = async (request: object): Promise<string[]> =>
    (await list(request)).records.map(({ target }) => target);
  expect(await targets({ ns: 'acme' })).toEqual(['Agent/acme:team/a', 'Namespace/acme:team', 'Namespace/acme']);
  expect(await targets({ ns: 'acme', operation: 'svc.gateway.GatewayService/CreateAgent' })).toHaveLength(1);
  expect(await targets({ identity: 'nobody' })).toEqual([]);
  const first = await list({ ns: 'acme', pageSize: 2 });
  const second = await list({ ns: 'acme', pageSize: 2, pageToken: first.nextPageToken });
  expect(second.records.map(({ target }) => target)).toEqual(['Namespace/acme']);
  expect(second.nextPageToken).toBe('');
  const scoped = { ...ADMIN, grants: [{ role: 'admin' as const, namespace: 'acme', readSecrets: false }] };
  await expect(list({}, scoped)).rejects.toMatchObject({ reason: 'SCOPE' });
  await expect(list({ ns: 'acme' }, scoped)).resolves.toBeDefined();
});

it('audit records of a namespace tell what became of descendants that are gone', async () => {
  await world.call(createNamespace, { name: 'acme:team', recursive: true });
  await world.call(createNamespace, { name: 'acme-other' });
  await world.call(deleteNamespace, { name: 'acme:team', purge: true });
  await world.runner.tick();
  const found: ListAuditRecordsResponse = await world.call(listAuditRecords, { ns: 'acme' });
  expect(new Set(found.records.map(({ target }) => target))).toEqual(
    new Set(['Namespace/acme:team', 'Namespace/acme']),
  );
  expect(found.records.some(({ operation }) => operation.endsWith('/DeleteNamespace'))).toBe(true);
});

it('audit records are filtered by time, from its start to before its end', async () => {
  const times: bigint[] = [];
  for (const name of ['a', 'b', 'c']) {
    world.clock.advance(1_000);
    times.push(BigInt(world.clock.nowMicros()));
    await world.call(createAgent, { ns: 'default', name });
  }
  const targets = async (request: object): Promise<string[]> => {
    const answer: ListAuditRecordsResponse = await world.call(listAuditRecords, { ns: 'default', ...request });
    return answer.records.map(({ target }) => target);
  };
  const [first = 0n, second = 0n, third = 0n] = times;
  expect(await targets({ since: second })).toEqual(['Agent/default/c', 'Agent/default/b']);
  expect(await targets({ since: first, until: third })).toEqual(['Agent/default/b', 'Agent/default/a']);
  expect(await targets({ since: third, until: first })).toEqual([]);
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  expect(await targets({ since: least, until: most })).toEqual(await targets({}));
  expect(await targets({ since: most })).toEqual([]);
  expect(await targets({ identity: 'anonymous', since: third })).toEqual(['Agent/default/c']);
});
