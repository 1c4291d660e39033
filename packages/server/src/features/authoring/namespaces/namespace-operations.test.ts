import { create } from '@bufbuild/protobuf';
import { GatewayService, type ListNamespacesResponse, type NamespaceResponse, ResourceService } from '@svc/api/gateway';
import { AgentSpecSchema, SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import { namespaceKey, recordKey } from '../../../resources/index.ts';
import type { ResourceKey } from '../../../store/contracts/index.ts';
import { ADMIN, callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';

const { createNamespace, getNamespace, deleteNamespace, listNamespaces, createAgent, getAgent } = GatewayService.method;
const { deleteResource } = ResourceService.method;
const skills = (): readonly KindContract[] => [kindContract({ kind: 'Skill', validate: () => [] })];

describe('namespaces', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({ contracts: skills });
  });
  afterEach(() => world.close());

  const make = (name: string, more: object = {}): Promise<NamespaceResponse> =>
    world.call(createNamespace, { name, ...more });
  const read = (name: string): Promise<NamespaceResponse> => world.call(getNamespace, { name });
  const remove = (name: string, purge = false): Promise<NamespaceResponse> =>
    world.call(deleteNamespace, { name, purge });
  const names = async (request: object = {}): Promise<(string | undefined)[]> => {
    const page: ListNamespacesResponse = await world.call(listNamespaces, request);
    return page.namespaces.map((namespace) => namespace.metadata?.name);
  };

  it('system and default exist from the start and cannot be deleted', async () => {
    expect(await names()).toEqual(['default', 'system']);
    for (const name of ['default', 'system'])
      await expect(remove(name, true)).rejects.toMatchObject({ reason: 'NAMESPACE_PROTECTED' });
  });

  it('show their parent and nothing private', async () => {
    const { namespace } = await make('acme:team', { recursive: true, labels: { tier: 'gold' } });
    expect(namespace?.metadata).toMatchObject({ name: 'acme:team', namespace: '', labels: { tier: 'gold' } });
    expect(namespace?.metadata?.annotations).toEqual({});
    expect(namespace?.spec?.parent).toBe('acme');
    expect(namespace?.status).toMatchObject({ phase: 'Ready', isDeleted: false, deletedAt: 0n });
    expect((await read('acme')).namespace?.metadata?.labels).toEqual({});
  });

  it.each(['', ':', 'a:', ':a', 'a::b', '-a', 'a_', 'a b', 'ä', `${'a'.repeat(64)}`, `a:${'b:'.repeat(130)}c`])(
    'are refused under the name %j',
    async (name) => {
      await expect(make(name)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );

  it.each(['a', 'A-b.c_d', 'x'.repeat(63), '0:1'])('are accepted under the name %j', async (name) => {
    expect((await make(name, { recursive: true })).namespace?.metadata?.name).toBe(name);
  });

  it('need a live parent unless created recursively', async () => {
    await expect(make('acme:team')).rejects.toMatchObject({ reason: 'PARENT_MISSING' });
    await make('acme');
    await remove('acme');
    await expect(make('acme:team', { recursive: true })).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
  });

  it('refuse another parent than the one they have', async () => {
    await make('acme');
    await make('child', { parent: 'acme' });
    for (const request of [
      { name: 'child', parent: 'default' },
      { name: 'acme:x', parent: 'default' },
      { name: 'acme', parent: 'default' },
      { name: 'self', parent: 'self' },
      { name: 'self', parent: 'self:below', recursive: true },
    ])
      await expect(make(request.name, request)).rejects.toMatchObject({
        violations: [expect.objectContaining({ reason: 'PARENT_MISMATCH' })],
      });
    expect((await make('child')).namespace?.spec?.parent).toBe('acme');
  });

  it('with a parent given at creation are contained in it and deleted with it', async () => {
    await make('acme');
    await make('child', { parent: 'acme' });
    await make('child:deep', { recursive: true });
    expect(await world.directory.ancestors(world.store.direct, 'child:deep')).toEqual(['child', 'acme']);
    expect(world.ancestry.ancestors('child:deep:unborn')).toEqual(['child:deep', 'child', 'acme']);
    expect(await names({ parent: 'acme', recursive: true })).toEqual(['child', 'child:deep']);
    await remove('acme');
    for (const name of ['child', 'child:deep']) expect((await read(name)).namespace?.status?.isDeleted).toBe(true);
    await expect(world.call(createAgent, { ns: 'child:deep', name: 'a' })).rejects.toMatchObject({
      reason: 'NAMESPACE_DELETED',
    });
  });

  it('merge labels and annotations when they are alive', async () => {
    await make('acme', { labels: { a: '1', b: '1' } });
    const merged = await make('acme', { labels: { b: '2' }, annotations: { note: 'x' } });
    expect(merged.namespace?.metadata).toMatchObject({ labels: { a: '1', b: '2' }, annotations: { note: 'x' } });
    const again = await make('acme', { labels: { b: '2' } });
    expect(again.namespace?.metadata?.resourceVersion).toBe(merged.namespace?.metadata?.resourceVersion);
  });

  it('have at most 32 ancestors', async () => {
    const deep = Array.from({ length: 33 }, () => 'n').join(':');
    await make(deep, { recursive: true });
    await expect(make(`${deep}:n`)).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
  });

  it('are listed as roots, children, descendants, with tombstones on request', async () => {
    await make('acme:a:x', { recursive: true });
    await make('acme:b');
    await remove('acme:b');
    expect(await names({ parent: '' })).toEqual(['acme', 'default', 'system']);
    expect(await names({ parent: 'acme' })).toEqual(['acme:a']);
    expect(await names({ parent: 'acme', includeDeleted: true })).toEqual(['acme:a', 'acme:b']);
    expect(await names({ parent: 'acme', recursive: true })).toEqual(['acme:a', 'acme:a:x']);
    expect(await names({ pageSize: 2 })).toEqual(['acme', 'acme:a']);
    await expect(names({ parent: 'none' })).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });

  it('are listed only as far as the caller may see', async () => {
    await make('acme:a', { recursive: true });
    await make('other');
    const grants = [{ role: 'viewer' as const, namespace: 'acme', readSecrets: false }];
    const page: ListNamespacesResponse = await world.call(listNamespaces, {}, { ...ADMIN, grants });
    expect(page.namespaces.map((namespace) => namespace.metadata?.name)).toEqual(['acme', 'acme:a']);
  });

  it('as tombstones refuse writes, allow reads, stop turns and come back with their contents', async () => {
    await make('acme:a', { recursive: true });
    await world.call(createAgent, { ns: 'acme:a', name: 'helper' });
    const before = await world.store.direct.resources.get(recordKey('Agent', 'acme:a', 'helper'));
    const { namespace } = await remove('acme');
    expect(namespace?.status).toMatchObject({ phase: 'Terminating', isDeleted: true });
    // One look at what runs, however many namespaces go.
    expect(world.stopped).toEqual(['acme acme:a']);
    await expect(world.call(createAgent, { ns: 'acme:a', name: 'new' })).rejects.toMatchObject({
      reason: 'NAMESPACE_DELETED',
    });
    await expect(world.call(getAgent, { ns: 'acme:a', name: 'helper' })).resolves.toBeDefined();
    await expect(remove('acme')).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    const revived = await make('acme', { labels: { fresh: 'yes' } });
    expect(revived.namespace).toMatchObject({ metadata: { labels: { fresh: 'yes' } }, status: { isDeleted: false } });
    const child = (await read('acme:a')).namespace;
    expect(child?.status?.isDeleted).toBe(false);
    expect(child?.metadata?.annotations).toEqual({});
    expect(await world.store.direct.resources.get(recordKey('Agent', 'acme:a', 'helper'))).toEqual(before);
    world.clock.advance(2 * 86_400_000);
    await world.runner.tick();
    expect((await read('acme:a')).namespace?.status?.phase).toBe('Ready');
  });

  it('deleted before their parent stay deleted when the parent comes back', async () => {
    await make('acme:a', { recursive: true });
    await make('acme:b');
    await remove('acme:a');
    world.clock.advance(10);
    await remove('acme');
    await make('acme');
    expect((await read('acme:a')).namespace?.status?.isDeleted).toBe(true);
    expect((await read('acme:b')).namespace?.status?.isDeleted).toBe(false);
  });

  it('lose their contents when the grace is over, or at once with purge', async () => {
    await make('acme:a', { recursive: true });
    await world.call(createAgent, { ns: 'acme:a', name: 'helper', spec: create(AgentSpecSchema) });
    await remove('acme');
    await world.runner.tick();
    expect((await read('acme')).namespace?.status?.isDeleted).toBe(true);
    world.clock.advance(86_400_001);
    await world.runner.tick();
    for (const name of ['acme', 'acme:a'])
      await expect(read(name)).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await make('beta');
    await remove('beta', true);
    await world.runner.tick();
    await expect(read('beta')).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    expect((await world.store.direct.resources.list({ kind: 'Agent', scope: { type: 'all' }, limit: 5 })).length).toBe(
      0,
    );
  });

  it('take the texts of their requests to models along when they are purged, however many', async () => {
    const texts = (): Promise<readonly { readonly namespace: string }[]> =>
      world.store.read((tx) => tx.promptSources.page('oldest', {}, { limit: 1_000 }));
    await make('acme');
    await make('beta');
    await world.store.write(async (tx) => {
      const expiresAt = tx.now() + 86_400_000_000;
      const put = (namespace: string, hash: string) => tx.promptSources.put({ namespace, hash, body: '[]', expiresAt });
      for (let index = 0; index < 601; index++) await put('acme', `hash-${index}`);
      await put('beta', 'hash-0');
    });
    await remove('acme', true);
    await world.runner.tick();
    await expect(read('acme')).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    expect(await texts()).toMatchObject([{ namespace: 'beta' }]);
  });

  it('being purged name the finalizers that hold them and cannot be revived', async () => {
    await make('acme');
    await world.store.write((tx) =>
      world.writer.create(tx, callContext('test'), {
        key: recordKey('Skill', 'acme', 'held'),
        spec: create(SkillSpecSchema),
        finalizers: ['example.org/hold'],
      }),
    );
    await remove('acme', true);
    await world.runner.tick();
    const { namespace } = await read('acme');
    const condition = namespace?.status?.conditions.find(({ type }) => type === 'ContentRemoved');
    expect(condition?.message).toContain('Skill/acme/held (example.org/hold)');
    await expect(make('acme')).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    const key = recordKey('Skill', 'acme', 'held');
    await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ finalizers: [] })));
    world.clock.advance(6_000);
    await world.runner.tick();
    await expect(read('acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('being purged apart are not revived with the namespace that they went with', async () => {
    for (const name of ['acme', 'acme:a', 'acme:a:deep', 'acme:b']) await make(name);
    const key = recordKey('Skill', 'acme:a:deep', 'held');
    await world.store.write((tx) =>
      world.writer.create(tx, callContext('test'), { key, finalizers: ['example.org/hold'] }),
    );
    await remove('acme');
    await remove('acme:a', true);
    await world.runner.tick();
    await make('acme');
    const phase = async (name: string) => (await read(name)).namespace?.status?.phase;
    expect([await phase('acme:a'), await phase('acme:a:deep'), await phase('acme:b')]).toEqual([
      'Terminating',
      'Terminating',
      'Ready',
    ]);
    await expect(make('acme:a')).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ finalizers: [] })));
    world.clock.advance(6_000);
    await world.runner.tick();
    for (const name of ['acme:a', 'acme:a:deep'])
      await expect(read(name)).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    expect((await make('acme:a')).namespace?.status?.phase).toBe('Ready');
  });

  it('being purged let go of what holds them by a write or by force, and of nothing else', async () => {
    await make('acme');
    const keys = ['one', 'two'].map((name) => recordKey('Skill', 'acme', name));
    for (const key of keys)
      await world.store.write((tx) =>
        world.writer.create(tx, callContext('test'), { key, finalizers: ['example.org/hold'] }),
      );
    await remove('acme');
    const [one, two] = keys as [ResourceKey, ResourceKey];
    const put = (more: object): Promise<unknown> =>
      world.store.write((tx) => world.writer.put(tx, callContext('test'), { key: one, finalizers: [], ...more }));
    const request = { ns: 'acme', kind: 'Skill', name: two.name, force: true };
    await expect(put({})).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    await expect(world.call(deleteResource, request)).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    await remove('acme', true);
    await world.runner.tick();
    await expect(put({ labels: { a: 'b' } })).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    await put({});
    await world.call(deleteResource, request);
    world.clock.advance(6_000);
    await world.runner.tick();
    await expect(read('acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('being purged name all that is held below them, and lose everything beside it', async () => {
    for (const name of ['acme', 'acme:a', 'acme:a:deep', 'acme:b', 'acme:c']) await make(name);
    const put = (namespace: string, name: string, finalizers: readonly string[] = []): Promise<unknown> =>
      world.store.write((tx) =>
        world.writer.create(tx, callContext('test'), { key: recordKey('Skill', namespace, name), finalizers }),
      );
    for (const namespace of ['acme:a:deep', 'acme:c']) await put(namespace, 'held', ['example.org/hold']);
    for (const namespace of ['acme:a', 'acme:b', 'acme:c']) await put(namespace, 'free');
    await remove('acme', true);
    await world.runner.tick();
    const { namespace } = await read('acme');
    const condition = namespace?.status?.conditions.find(({ type }) => type === 'ContentRemoved');
    expect(condition?.message).toBe(
      '2 left, held by finalizers: Skill/acme:a:deep/held (example.org/hold); Skill/acme:c/held (example.org/hold)',
    );
    await expect(read('acme:b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const left = await world.store.direct.resources.list({ kind: 'Skill', scope: { type: 'all' }, limit: 9 });
    expect(left.map(({ key }) => `${key.namespace}/${key.name}`)).toEqual([
      'acme:a/free',
      'acme:a:deep/held',
      'acme:c/held',
    ]);
    for (const { key } of left)
      await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ finalizers: [] })));
    world.clock.advance(6_000);
    await world.runner.tick();
    await expect(read('acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('with finalizers of their own are named by the purge and go when these do', async () => {
    for (const name of ['acme', 'acme:one', 'acme:two']) await make(name);
    const hold = (name: string, finalizers: readonly string[]): Promise<unknown> =>
      world.store.write((tx) =>
        world.writer.modify(tx, callContext('test'), { key: namespaceKey(name), change: () => ({ finalizers }) }),
      );
    for (const name of ['acme:one', 'acme:two']) await hold(name, ['example.org/hold']);
    await remove('acme', true);
    await expect(hold('acme:two', [])).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    const force = { ns: 'acme:one', kind: 'Namespace', name: 'acme:one', force: true };
    for (const name of ['acme:two', 'acme:one']) {
      world.clock.advance(6_000);
      await world.runner.tick();
      const { namespace } = await read('acme');
      const condition = namespace?.status?.conditions.find(({ type }) => type === 'ContentRemoved');
      expect(condition?.message).toContain(`Namespace/${name} (example.org/hold)`);
      if (name === 'acme:two') await hold(name, []);
      else await world.call(deleteResource, force);
    }
    world.clock.advance(6_000);
    await world.runner.tick();
    await expect(read('acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('have no owner, so that nothing but a deletion ends them', async () => {
    const owner = { apiVersion: 'svc/v1', kind: 'Namespace', namespace: '', name: 'gone', uid: 'none' };
    const owners = [{ ...owner, controller: false, blockOwnerDeletion: false }];
    const put = world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), { key: namespaceKey('default'), owners }),
    );
    await expect(put).rejects.toMatchObject({ violations: [{ reason: 'OWNER_REFERENCE' }] });
  });
});

describe('a purge', () => {
  it('of 10,000 resources goes on after a restart in the middle', async () => {
    const first = await openResourceWorld({ contracts: skills });
    await first.call(createNamespace, { name: 'big' });
    await first.store.write(async (tx) => {
      for (let index = 0; index < 10_000; index++)
        await tx.resources.insert({
          key: recordKey('Skill', 'big', `skill-${index}`),
          apiVersion: 'svc/v1',
          uid: first.ids.next(),
          generation: 1,
          createdAt: tx.now(),
          labels: {},
          annotations: {},
          owners: [],
          finalizers: [],
          spec: '{}',
          status: '{}',
        });
    });
    await first.call(deleteNamespace, { name: 'big', purge: true });
    const write = first.store.write.bind(first.store);
    let left = 12;
    first.store.write = (work) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return write(work);
    };
    await expect(first.runner.tick()).rejects.toThrow('killed');
    const count = async (world: ResourceWorld): Promise<number> =>
      (await world.store.direct.resources.list({ kind: 'Skill', scope: { type: 'all' }, limit: 20_000 })).length;
    expect(await count(first)).toBeGreaterThan(0);
    expect(await count(first)).toBeLessThan(10_000);
    await first.close(true);
    const second = await openResourceWorld({ contracts: skills, dataDir: first.dataDir });
    second.clock.advance(120_000);
    await second.runner.tick();
    expect(await count(second)).toBe(0);
    expect(await second.store.direct.resources.get(namespaceKey('big'))).toBeUndefined();
    await second.close();
  });
});
