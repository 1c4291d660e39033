import { create } from '@bufbuild/protobuf';
import { type ResourceChangedEvent, ResourceChangeType } from '@svc/api/events';
import {
  DeletePropagation,
  type DeleteResourceResponse,
  GatewayService,
  type ListResourcesResponse,
  type ResourceResponse,
  ResourceService,
} from '@svc/api/gateway';
import { CommonResourceStatusSchema, SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kindContract } from '../../../controllers/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import type { StoredOwner, StoredResource } from '../../../store/contracts/index.ts';
import { quietStore } from '../../../store/testing/quiet-store.ts';
import { callContext, openResourceWorld, type ResourceWorld, type TestStream } from '../../testing/index.ts';

const { getResource, listResources, deleteResource, watchResources } = ResourceService.method;
const { createAgent, modifyAgent, createNamespace, deleteNamespace, getAgent } = GatewayService.method;

describe('resources of every kind', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({ contracts: () => [kindContract({ kind: 'Skill', validate: () => [] })] });
  });
  afterEach(() => world.close());

  const agent = (name: string, labels: Record<string, string> = {}, ns = 'default'): Promise<unknown> =>
    world.call(createAgent, { ns, name, labels });

  const skill = async (
    name: string,
    more: { readonly owners?: readonly StoredOwner[]; readonly finalizers?: readonly string[] } = {},
  ): Promise<StoredResource> =>
    world.store.write(async (tx) => {
      const key = recordKey('Skill', 'default', name);
      const spec = create(SkillSpecSchema, { description: name });
      return (await world.writer.create(tx, callContext('test'), { key, spec, ...more })).resource;
    });

  const ownedBy = (owner: StoredResource, block = false): StoredOwner => ({
    apiVersion: 'svc/v1',
    kind: owner.key.kind,
    namespace: owner.key.namespace,
    name: owner.key.name,
    uid: owner.uid,
    controller: false,
    blockOwnerDeletion: block,
  });

  const find = (name: string): Promise<StoredResource | undefined> =>
    world.store.direct.resources.get(recordKey('Skill', 'default', name));

  const remove = (name: string, more: object = {}): Promise<DeleteResourceResponse> =>
    world.call(deleteResource, { ns: 'default', kind: 'Skill', name, ...more });

  describe('are read', () => {
    it('by kind and name in their generic form', async () => {
      await agent('helper', { a: 'b' });
      const answer: ResourceResponse = await world.call(getResource, { ns: 'default', kind: 'Agent', name: 'helper' });
      expect(answer.resource).toMatchObject({ apiVersion: 'svc/v1', kind: 'Agent', metadata: { labels: { a: 'b' } } });
      expect(answer.resource?.spec?.kind.case).toBe('agent');
      expect(answer.resource?.status?.kind.case).toBe('agent');
    });

    it('as a namespace when ns equals the name', async () => {
      const answer: ResourceResponse = await world.call(getResource, {
        ns: 'default',
        kind: 'Namespace',
        name: 'default',
      });
      expect(answer.resource?.spec?.kind.case).toBe('namespace');
    });

    it('with a reason for each thing that is missing or wrong', async () => {
      const get = (request: object): Promise<ResourceResponse> =>
        world.call(getResource, { ns: 'default', ...request });
      await expect(get({ kind: 'Agent', name: 'x' })).rejects.toMatchObject({ reason: 'AGENT_NOT_FOUND' });
      await expect(get({ ns: 'none', kind: 'Agent', name: 'x' })).rejects.toMatchObject({
        reason: 'NAMESPACE_NOT_FOUND',
      });
      await expect(get({ kind: 'agents', name: 'x' })).rejects.toThrow('did you mean Agent');
      await expect(get({ kind: 'ChannelSubscription', name: 'x' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(get({ kind: 'Namespace', name: 'x' })).rejects.toMatchObject({ reason: 'PATH_BODY_MISMATCH' });
    });
  });

  describe('are listed', () => {
    it('in order of kind, namespace and name, over pages and descendants', async () => {
      await world.call(createNamespace, { name: 'default:sub' });
      await agent('b');
      await agent('a', {}, 'default:sub');
      await skill('s');
      const names: string[] = [];
      let pageToken = '';
      do {
        const page: ListResourcesResponse = await world.call(listResources, {
          ns: 'default',
          recursive: true,
          pageSize: 2,
          pageToken,
        });
        names.push(...page.resources.map(({ kind, metadata }) => `${kind}/${metadata?.namespace}/${metadata?.name}`));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(names).toEqual([
        'Agent/default/b',
        'Agent/default:sub/a',
        'Namespace//default',
        'Namespace//default:sub',
        'Skill/default/s',
      ]);
    });

    it('of one kind, by label, everywhere, with the version to watch from', async () => {
      await agent('a', { tier: 'gold' });
      await agent('b');
      const page: ListResourcesResponse = await world.call(listResources, {
        ns: '-',
        kind: 'Agent',
        labelSelector: 'tier',
        metadataOnly: true,
      });
      expect(page.resources.map(({ metadata, spec }) => [metadata?.name, spec])).toEqual([['a', undefined]]);
      const { newest } = await world.store.direct.resources.versionRange();
      expect(page.resourceVersion).toBe(String(newest));
    });
  });

  describe('are deleted', () => {
    it('at once, dependants after them, in the background', async () => {
      const owner = await skill('owner');
      const child = await skill('child', { owners: [ownedBy(owner)] });
      await skill('grandchild', { owners: [ownedBy(child)] });
      const answer = await remove('owner');
      expect(answer).toMatchObject({ pending: false, resource: { metadata: { name: 'owner' } } });
      expect(await find('owner')).toBeUndefined();
      await world.runner.tick();
      expect([await find('child'), await find('grandchild')]).toEqual([undefined, undefined]);
    });

    it('only after blocking dependants in the foreground', async () => {
      const owner = await skill('owner');
      await skill('child', { owners: [ownedBy(owner, true)], finalizers: ['example.org/hold'] });
      const answer = await remove('owner', { propagation: DeletePropagation.FOREGROUND });
      expect(answer.pending).toBe(true);
      expect(answer.resource?.metadata?.deletionTimestamp).toBeDefined();
      await world.runner.tick();
      expect(await find('owner')).toBeDefined();
      const key = recordKey('Skill', 'default', 'child');
      await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ finalizers: [] })));
      expect(await find('child')).toBeUndefined();
      world.clock.advance(6_000);
      await world.runner.tick();
      expect(await find('owner')).toBeUndefined();
    });

    it('leaving dependants without the reference as orphans', async () => {
      const owner = await skill('owner');
      await skill('child', { owners: [ownedBy(owner)] });
      await remove('owner', { propagation: DeletePropagation.ORPHAN });
      await world.runner.tick();
      expect((await find('child'))?.owners).toEqual([]);
    });

    it('when their owner has another uid, as if it were gone', async () => {
      const owner = await skill('owner');
      await skill('child', { owners: [{ ...ownedBy(owner), uid: 'another' }] });
      await world.runner.tick();
      expect(await find('child')).toBeUndefined();
      expect(await find('owner')).toBeDefined();
    });

    it('both when they own each other', async () => {
      const first = await skill('first');
      const second = await skill('second', { owners: [ownedBy(first)] });
      await world.store.write((tx) =>
        world.writer.modify(tx, callContext('test'), { key: first.key, change: () => ({ owners: [ownedBy(second)] }) }),
      );
      await remove('first');
      await world.runner.tick();
      expect([await find('first'), await find('second')]).toEqual([undefined, undefined]);
    });

    it('in one of the known ways only', async () => {
      await skill('one');
      await expect(remove('one', { propagation: 9 })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
      expect(await find('one')).toBeDefined();
    });

    it('not while a finalizer holds them, unless forced', async () => {
      await skill('held', { finalizers: ['example.org/hold'] });
      expect((await remove('held')).pending).toBe(true);
      const change = (): object => ({ labels: { a: 'b' } });
      const key = recordKey('Skill', 'default', 'held');
      await expect(
        world.store.write((tx) => world.writer.modify(tx, callContext('test'), { key, change })),
      ).rejects.toMatchObject({ reason: 'RESOURCE_DELETING' });
      world.clock.advance(700_000);
      await world.runner.tick();
      expect((await find('held'))?.status).toContain('Finalized');
      expect((await remove('held', { force: true })).pending).toBe(false);
      expect(await find('held')).toBeUndefined();
    });

    it('with phase Terminating while that waits, whoever writes a status meanwhile', async () => {
      const { key } = await skill('held', { finalizers: ['example.org/hold', 'example.org/last'] });
      const answer = await remove('held');
      expect(answer.resource?.status?.kind.value).toMatchObject({ phase: 'Terminating' });
      const status = create(CommonResourceStatusSchema, { phase: 'Ready', observedGeneration: 1n });
      const judge = () => world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ status })));
      expect(JSON.parse((await judge())?.status ?? '')).toEqual({ observedGeneration: '1', phase: 'Terminating' });
      world.clock.advance(700_000);
      await world.runner.tick();
      const finalizers = ['example.org/last'];
      await world.store.write((tx) =>
        world.writer.modify(tx, callContext('test'), { key, change: () => ({ finalizers }) }),
      );
      expect(JSON.parse((await judge())?.status ?? '')).toMatchObject({
        phase: 'Terminating',
        conditions: [{ type: 'Finalized', status: 'False', reason: 'Blocked', message: 'example.org/last' }],
      });
    });

    it('when their finalizers go by a write that leaves system keys out, as reads and writes may', async () => {
      const { key } = await skill('held', { finalizers: ['example.org/hold'] });
      const system = { labels: { 'svc/x': 'y', 'svc/~z': '1' } };
      await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ system })));
      await remove('held');
      const write = (owners: readonly StoredOwner[]) =>
        world.store.write((tx) =>
          world.writer.put(tx, callContext('test'), { key, labels: {}, annotations: {}, owners, finalizers: [] }),
        );
      const other = await skill('other');
      await expect(write([ownedBy(other)])).rejects.toMatchObject({ reason: 'RESOURCE_DELETING' });
      await write([]);
      expect(await find('held')).toBeUndefined();
    });

    it('in the foreground only after blocking dependants that stand behind many others', async () => {
      const owner = await skill('owner');
      for (let index = 0; index < 501; index++)
        await skill(`child-${index}`, {
          owners: [ownedBy(owner, index === 500)],
          finalizers: index === 500 ? ['example.org/hold'] : [],
        });
      expect((await remove('owner', { propagation: DeletePropagation.FOREGROUND })).pending).toBe(true);
      world.clock.advance(6_000);
      await world.runner.tick();
      expect(await find('child-0')).toBeUndefined();
      expect(await find('owner')).toBeDefined();
      await world.store.write((tx) =>
        world.writer.writeStatus(tx, recordKey('Skill', 'default', 'child-500'), () => ({ finalizers: [] })),
      );
      world.clock.advance(6_000);
      await world.runner.tick();
      expect(await find('owner')).toBeUndefined();
    });

    it('when the last finalizer is taken away by a write', async () => {
      await skill('held', { finalizers: ['example.org/hold'] });
      await remove('held');
      const key = recordKey('Skill', 'default', 'held');
      await world.store.write((tx) =>
        world.writer.modify(tx, callContext('test'), { key, change: () => ({ finalizers: [] }) }),
      );
      expect(await find('held')).toBeUndefined();
    });

    it('only in the version that was named', async () => {
      const { version } = await skill('one');
      await expect(remove('one', { resourceVersion: '1' })).rejects.toMatchObject({
        reason: 'CONFLICT',
        metadata: { current: String(version) },
      });
      await expect(remove('none')).rejects.toMatchObject({ reason: 'SKILL_NOT_FOUND' });
      await expect(remove('none', { ns: 'nowhere' })).rejects.toMatchObject({ reason: 'SKILL_NOT_FOUND' });
    });

    it('with their sessions when they are agents', async () => {
      await agent('helper');
      const row = { ns: 'default', kind: 'Agent', name: 'helper' };
      await world.store.write(async (tx) => {
        for (let index = 0; index < 450; index++)
          await tx.resources.insert({
            key: { kind: 'Session', namespace: 'default', parent: 'helper', name: `s-${index}` },
            ...{ apiVersion: 'svc/v1', uid: world.ids.next(), generation: 1, createdAt: tx.now() },
            ...{ labels: {}, annotations: {}, owners: [], finalizers: [], spec: '{"agent":"helper"}', status: '{}' },
          });
      });
      await world.call(deleteResource, row);
      await expect(world.call(getAgent, { ns: 'default', name: 'helper' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await world.runner.tick();
      expect(new Set(world.removedSessions).size).toBe(450);
      const left = await world.store.direct.resources.list({ kind: 'Session', scope: { type: 'all' }, limit: 5 });
      expect(left).toEqual([]);
    });

    it('with the sessions from before the clock was set back, not with those of an agent of the same name', async () => {
      const session = (name: string, agentUid: string) =>
        world.store.write((tx) =>
          tx.resources.insert({
            key: { kind: 'Session', namespace: 'default', parent: 'helper', name },
            ...{ apiVersion: 'svc/v1', uid: world.ids.next(), generation: 1, createdAt: tx.now() },
            ...{ labels: {}, annotations: {}, finalizers: [], spec: '{"agent":"helper"}', status: '{}' },
            owners: [
              {
                ...{ apiVersion: 'svc/v1', kind: 'Agent', namespace: 'default', name: 'helper', uid: agentUid },
                ...{ controller: true, blockOwnerDeletion: true },
              },
            ],
          }),
        );
      await agent('helper');
      const key = recordKey('Agent', 'default', 'helper');
      await session('theirs', 'uid-of-another');
      await session('own', (await world.store.direct.resources.get(key))?.uid ?? '');
      world.clock.stepWallClock(-3_600_000);
      await world.call(deleteResource, { ns: 'default', kind: 'Agent', name: 'helper' });
      const left = await world.store.direct.resources.list({ kind: 'Session', scope: { type: 'all' }, limit: 5 });
      expect(left.map((record) => record.key.name)).toEqual(['theirs']);
    });

    it('as tombstones when they are namespaces', async () => {
      await world.call(createNamespace, { name: 'acme' });
      const request = { ns: 'acme', kind: 'Namespace', name: 'acme' };
      const answer: DeleteResourceResponse = await world.call(deleteResource, request);
      expect(answer.pending).toBe(true);
      expect(answer.resource?.status?.kind.value).toMatchObject({ isDeleted: true });
    });
  });

  describe('are watched', () => {
    const streams: TestStream<ResourceChangedEvent>[] = [];
    const watch = (request: object): TestStream<ResourceChangedEvent> => {
      const stream: TestStream<ResourceChangedEvent> = world.stream(watchResources, { ns: 'default', ...request });
      streams.push(stream);
      return stream;
    };
    const settle = async (): Promise<void> => {
      await world.feed.tick();
      await quietStore(world.store);
    };
    const shown = (stream: TestStream<ResourceChangedEvent>): string[] =>
      stream.received.map((event) => `${ResourceChangeType[event.changeType]} ${event.name}`.trim());

    afterEach(async () => {
      for (const stream of streams.splice(0)) await stream.stop();
    });

    it('from what is there, over a bookmark, to what changes', async () => {
      await agent('a');
      const stream = watch({ kinds: ['Agent'] });
      await settle();
      await agent('b');
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { x: 'y' } });
      await world.call(deleteResource, { ns: 'default', kind: 'Agent', name: 'b' });
      await settle();
      expect(shown(stream)).toEqual(['CREATED a', 'BOOKMARK', 'CREATED b', 'UPDATED a', 'DELETED b']);
      expect(stream.received[3]?.changedSections).toEqual(['metadata']);
      const versions = stream.ids.map(Number);
      expect(versions).toEqual([...versions].sort((left, right) => left - right));
    });

    it('after a version, every change once', async () => {
      await agent('a');
      const page: ListResourcesResponse = await world.call(listResources, { ns: 'default', kind: 'Agent' });
      for (let index = 0; index < 5; index++)
        await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { index: String(index) } });
      const stream = watch({ kinds: ['Agent'], resourceVersion: page.resourceVersion });
      await settle();
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { index: 'last' } });
      await settle();
      const labels = stream.received.map((event) => event.resource?.metadata?.labels['index']);
      expect(labels).toEqual(['0', '1', '2', '3', '4', 'last']);
    });

    it('by label, and what leaves the selector is gone', async () => {
      await agent('a', { tier: 'gold' });
      await agent('b');
      const stream = watch({ kinds: ['Agent'], labelSelector: 'tier=gold' });
      await settle();
      await world.call(modifyAgent, { ns: 'default', agent: 'a', labels: { tier: 'tin' } });
      await world.call(modifyAgent, { ns: 'default', agent: 'b', labels: { tier: 'gold' } });
      await settle();
      expect(shown(stream)).toEqual(['CREATED a', 'BOOKMARK', 'DELETED a', 'UPDATED b']);
    });

    it('only below their namespace', async () => {
      await world.call(createNamespace, { name: 'default:sub' });
      await world.call(createNamespace, { name: 'other' });
      const flat = watch({ kinds: ['Agent'] });
      const deep = watch({ kinds: ['Agent'], recursive: true });
      await settle();
      for (const ns of ['default:sub', 'other', 'default']) await agent(`in-${ns.replace(':', '-')}`, {}, ns);
      await settle();
      expect(shown(flat)).toEqual(['BOOKMARK', 'CREATED in-default']);
      expect(shown(deep)).toEqual(['BOOKMARK', 'CREATED in-default-sub', 'CREATED in-default']);
    });

    it('with what goes when a namespace below goes that is a child by its parent only', async () => {
      await world.call(createNamespace, { name: 'child', parent: 'default' });
      await agent('inside', {}, 'child');
      const stream = watch({ recursive: true, kinds: ['Agent', 'Namespace'] });
      await settle();
      await world.call(deleteNamespace, { name: 'child', purge: true });
      await world.runner.tick();
      await settle();
      expect(shown(stream).slice(-2)).toEqual(['DELETED inside', 'DELETED child']);
      await world.call(createNamespace, { name: 'child' });
      await agent('stranger', {}, 'child');
      await settle();
      expect(shown(stream).at(-1)).toBe('DELETED child');
    });

    it('with what went with such a child before the process began, and not with what came back elsewhere', async () => {
      await world.call(createNamespace, { name: 'child', parent: 'default' });
      await world.call(createNamespace, { name: 'grandchild', parent: 'child' });
      for (const ns of ['child', 'grandchild']) await agent(`in-${ns}`, {}, ns);
      const { newest } = await world.store.direct.resources.versionRange();
      await world.call(deleteNamespace, { name: 'child', purge: true });
      await world.runner.tick();
      world.clock.advance(1);
      await world.call(createNamespace, { name: 'child' });
      await agent('stranger', {}, 'child');
      const since = { kinds: ['Agent', 'Namespace'], recursive: true, resourceVersion: String(newest) };
      const expected = ['DELETED in-grandchild', 'DELETED grandchild', 'DELETED in-child', 'DELETED child'];
      const gone = (stream: TestStream<ResourceChangedEvent>): string[] =>
        shown(stream).filter((text) => !text.startsWith('UPDATED'));
      const before = watch(since);
      await settle();
      await before.stop();
      await world.close(true);
      world = await openResourceWorld({ dataDir: world.dataDir });
      const after = watch(since);
      await settle();
      expect([gone(before), gone(after)]).toEqual([expected, expected]);
      expect(gone(watch({ ...since, ns: 'child' }))).toEqual([]);
    });

    it('until their namespace is purged, to the last change; one that came back goes on', async () => {
      await world.call(createNamespace, { name: 'acme' });
      await agent('a', {}, 'acme');
      const stream = watch({ ns: 'acme' });
      await settle();
      await world.call(deleteNamespace, { name: 'acme', purge: true });
      await world.runner.tick();
      await settle();
      expect(await stream.ended).toMatchObject({ code: 'NOT_FOUND', reason: 'NAMESPACE_NOT_FOUND' });
      expect(shown(stream).slice(-2)).toEqual(['DELETED a', 'DELETED acme']);
      await world.call(createNamespace, { name: 'acme' });
      const again = watch({ ns: 'acme', resourceVersion: stream.ids[0] ?? '' });
      await settle();
      expect(shown(again).at(-1)).toBe('CREATED acme');
      again.isLagging = true;
      await world.call(deleteNamespace, { name: 'acme', purge: true });
      await world.runner.tick();
      await world.call(createNamespace, { name: 'acme' });
      again.catchUp();
      await settle();
      expect(shown(again).at(-1)).toBe('CREATED acme');
      expect(await Promise.race([again.ended, Promise.resolve('open')])).toBe('open');
    });

    it('not from a version that is not kept or not yet there', async () => {
      const { newest } = await world.store.direct.resources.versionRange();
      const stream = watch({ resourceVersion: String(newest + 1) });
      expect(await stream.ended).toMatchObject({ code: 'OUT_OF_RANGE', reason: 'VERSION_EXPIRED' });
      expect(await watch({ resourceVersion: 'x' }).ended).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(await watch({ ns: 'none' }).ended).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    });

    it('not for a kind that there is not, which is named by its place', async () => {
      expect(await watch({ kinds: ['Agent', 'Agents'] }).ended).toMatchObject({
        violations: [{ field: 'kinds[1]', reason: 'UNKNOWN_KIND' }],
      });
    });

    it('with a bookmark every 30 quiet seconds', async () => {
      const stream = watch({ kinds: ['Agent'] });
      await settle();
      await skill('unseen');
      await settle();
      world.clock.advance(30_000);
      await settle();
      expect(shown(stream)).toEqual(['BOOKMARK', 'BOOKMARK']);
      const { newest } = await world.store.direct.resources.versionRange();
      expect(stream.ids.at(-1)).toBe(String(newest));
    });

    it('with a bookmark at once when a reader prefers to know that it has all up to now', async () => {
      await agent('a');
      await skill('unseen');
      const { newest } = await world.store.direct.resources.versionRange();
      const since = (resourceVersion: string): TestStream<ResourceChangedEvent> =>
        world.stream(watchResources, { ns: 'default', kinds: ['Agent'], resourceVersion }, { prefer: 'svc-bookmark' });
      const [all, none] = [since('0'), since(String(newest))];
      await settle();
      expect([all, none].map((stream) => shown(stream).at(-1))).toEqual(['BOOKMARK', 'BOOKMARK']);
      expect([all, none].map((stream) => stream.ids.at(-1))).toEqual([String(newest), String(newest)]);
      await agent('b');
      await settle();
      expect(shown(all).slice(-2)).toEqual(['BOOKMARK', 'CREATED b']);
      await Promise.all([all.stop(), none.stop()]);
    });

    it('until a reader falls too far behind, who learns where to go on', async () => {
      const stream = watch({ kinds: ['Agent'] });
      await settle();
      stream.isLagging = true;
      for (let index = 0; index < 15; index++) await agent(`a-${index}`);
      await settle();
      const failure = (await stream.ended) as { readonly metadata: { readonly cursor: string } };
      expect(failure).toMatchObject({ code: 'ABORTED', reason: 'SLOW_CONSUMER' });
      expect(failure.metadata.cursor).toBe(stream.ids.at(-1));
    });

    it('until what waits for a slow reader is too large, however few changes it is, and what waits comes first', async () => {
      const stream = watch({ kinds: ['Agent'] });
      await settle();
      stream.isLagging = true;
      const systemPrompt = 'x'.repeat(30_000);
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        await world.call(createAgent, { ns: 'default', name, spec: { systemPrompt } });
      await settle();
      const failure = (await stream.ended) as { readonly metadata: { readonly cursor: string } };
      expect(failure).toMatchObject({ code: 'ABORTED', reason: 'SLOW_CONSUMER' });
      const { cursor } = failure.metadata;
      expect(cursor).toBe(stream.ids.at(-1));
      const rest = watch({ kinds: ['Agent'], resourceVersion: cursor });
      await settle();
      expect([...shown(stream), ...shown(rest)]).toEqual([
        ...['BOOKMARK', 'CREATED a', 'CREATED b', 'CREATED c', 'CREATED d', 'CREATED e'],
      ]);
    });

    it('by a slow reader however much changes that it did not ask for', async () => {
      const stream = watch({ kinds: ['Agent'] });
      await settle();
      stream.isLagging = true;
      await agent('a');
      for (let index = 0; index < 15; index++) await skill(`s-${index}`);
      await agent('b');
      await settle();
      stream.catchUp();
      await settle();
      expect(shown(stream)).toEqual(['BOOKMARK', 'CREATED a', 'CREATED b']);
      expect(await stream.stop()).toBe('ok');
    });

    it('until what a slow reader still lacks is too old to be kept, and not past it', async () => {
      const { newest } = await world.store.direct.resources.versionRange();
      await world.store.write(async (tx) => {
        for (let index = 0; index < 600; index++)
          await tx.resources.insert({
            ...{ key: recordKey('Skill', 'default', `s-${index}`), apiVersion: 'svc/v1', uid: world.ids.next() },
            ...{ generation: 1, createdAt: tx.now(), labels: {}, annotations: {}, owners: [], finalizers: [] },
            ...{ spec: '{"description":"one"}', status: '{}' },
          });
      });
      await world.feed.tick();
      const stream = watch({ resourceVersion: String(newest) });
      stream.isLagging = true;
      await settle();
      await world.store.write((tx) => tx.resources.trimChanges(tx.now() + 1, 10_000));
      stream.catchUp();
      expect(await stream.ended).toMatchObject({ code: 'OUT_OF_RANGE', reason: 'VERSION_EXPIRED' });
      expect(stream.ids).toEqual(Array.from({ length: 500 }, (_, index) => String(newest + 1 + index)));
    });

    it('by many readers as the same message', async () => {
      const [first, second] = [watch({}), watch({ kinds: ['Agent'] })];
      await settle();
      await agent('a');
      await settle();
      expect(first?.received.at(-1)).toBe(second?.received.at(-1));
    });
  });
});
