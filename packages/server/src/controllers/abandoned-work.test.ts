import { create } from '@bufbuild/protobuf';
import { DeletePropagation, GatewayService, ResourceService } from '@svc/api/gateway';
import { SkillSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import {
  callContext,
  type Death,
  dieAtWrite,
  openResourceWorld,
  type ResourceWorld,
} from '../features/testing/index.ts';
import { formatKey, namespaceKey, recordKey } from '../resources/index.ts';
import type { ResourceKey, StoredOwner, StoredResource } from '../store/contracts/index.ts';
import { sampledStrides } from '../store/testing/sampled.ts';
import { kindContract } from './contract.ts';
import { GC_DEPENDENTS } from './resource-removal.ts';

const { createNamespace, deleteNamespace, createAgent } = GatewayService.method;
const { deleteResource } = ResourceService.method;

/** More than any of these stories writes. */
const WRITES_MAX = 60;
/** On PostgreSQL the process dies at one of so many writes. */
const POSTGRES_STRIDE = 6;
const LEASE_MS = 120_000;
/** Dozens of stores are opened one after the other: a loaded machine takes its time. */
const LONG_MS = 240_000;
/** When finalizers that still hold something are named. */
const FINALIZERS_MS = 600_001;
const GRACE_MS = 86_400_001;

const open = (dataDir?: string): Promise<ResourceWorld> =>
  openResourceWorld({
    contracts: () => [kindContract({ kind: 'Skill', validate: () => [] })],
    ...(dataDir === undefined ? {} : { dataDir }),
  });

interface SkillFacts {
  readonly ns?: string;
  readonly owners?: readonly StoredOwner[];
  readonly finalizers?: readonly string[];
}

const skill = (
  world: ResourceWorld,
  name: string,
  { ns = 'default', ...more }: SkillFacts = {},
): Promise<StoredResource> =>
  world.store.write(async (tx) => {
    const key = recordKey('Skill', ns, name);
    return (await world.writer.create(tx, callContext('test'), { key, spec: create(SkillSpecSchema), ...more }))
      .resource;
  });

const ownedBy = (owner: StoredResource, block = false): StoredOwner => ({
  ...{ apiVersion: 'svc/v1', kind: owner.key.kind, namespace: owner.key.namespace, name: owner.key.name },
  ...{ uid: owner.uid, controller: false, blockOwnerDeletion: block },
});

/** What a life began with, what happens in it, and what must be left whenever it broke off. */
interface Story {
  readonly before: (world: ResourceWorld) => Promise<void>;
  /** The caller's own request; asked again by a caller who got no answer. */
  readonly request: (world: ResourceWorld) => Promise<unknown>;
  /** Time until all of it is due. */
  readonly afterMs: number;
  /** Keys that are left, besides the namespaces every store has. */
  readonly left: readonly string[];
}

const everything = async (world: ResourceWorld): Promise<readonly string[]> => {
  const found = await world.store.direct.resources.list({ scope: { type: 'all' }, limit: 1_000 });
  const keys = found.map(({ key }) => formatKey(key));
  const given = [namespaceKey('default'), namespaceKey('system')].map(formatKey);
  return keys.filter((key) => !given.includes(key)).sort();
};

const settle = async (world: ResourceWorld, afterMs: number): Promise<void> => {
  await world.runner.tick();
  world.clock.advance(afterMs);
  await world.runner.tick();
};

/** The request of a caller who tries again until the answer is success, or that it was done already. */
const ask = async (world: ResourceWorld, story: Story): Promise<void> => {
  await story.request(world).catch((error: { readonly reason?: string }) => {
    if (!/_NOT_FOUND$|NAMESPACE_DELETED/.test(error.reason ?? '')) throw error;
  });
};

/** One life that ends at its `last`th write, and the next one; true when the first came so far. */
const liveTwice = async (story: Story, last: number, death: Death): Promise<boolean> => {
  const first = await open();
  await story.before(first);
  const died = dieAtWrite(first.store, last, death);
  const life = (async () => {
    await story.request(first);
    await settle(first, story.afterMs);
  })();
  await life.catch(() => undefined);
  const isOver = died();
  await first.close(true);
  const second = await open(first.dataDir);
  // What the dead process had taken is free again when its lease is over.
  second.clock.advance(LEASE_MS);
  await ask(second, story);
  await settle(second, story.afterMs);
  await settle(second, FINALIZERS_MS);
  expect(await everything(second)).toEqual([...story.left].sort());
  const due = await second.store.write((tx) => tx.queue.nextDue(second.runner.kinds));
  expect(due).toBeUndefined();
  await expectAuditedOnce(second);
  await second.close();
  return isOver;
};

/** No deletion is recorded twice, wherever the process died. */
const expectAuditedOnce = async (world: ResourceWorld): Promise<void> => {
  const rows = await world.store.write((tx) => tx.audit.list({ limit: 1_000 }));
  const deleted = rows
    .filter(({ outcome, target }) => outcome === 'deleted' && !target.startsWith('Namespace'))
    .map(({ target }) => target);
  expect(deleted).toEqual([...new Set(deleted)]);
};

const sweep = async (story: Story): Promise<number> => {
  const { first, step } = sampledStrides(POSTGRES_STRIDE);
  let last = first;
  for (const death of ['before', 'after'] as const)
    for (last = first; await liveTwice(story, last, death); last += step) expect(last).toBeLessThan(WRITES_MAX);
  return last;
};

const key = (kind: string, ns: string, name: string): string => formatKey(recordKey(kind, ns, name) as ResourceKey);

describe('a process that dies between any two writes', () => {
  it(
    'deletes a namespace with its descendants after the grace all the same',
    async () => {
      const writes = await sweep({
        before: async (world) => {
          await world.call(createNamespace, { name: 'acme:a:deep', recursive: true });
          await world.call(createNamespace, { name: 'other' });
          await world.call(createAgent, { ns: 'acme:a', name: 'helper' });
          await world.call(createAgent, { ns: 'other', name: 'helper' });
          const owner = await skill(world, 'owner', { ns: 'acme' });
          await skill(world, 'owned', { ns: 'acme:a:deep', owners: [ownedBy(owner)] });
          await world.runner.tick();
        },
        request: (world) => world.call(deleteNamespace, { name: 'acme' }),
        afterMs: GRACE_MS,
        left: [formatKey(namespaceKey('other')), key('Agent', 'other', 'helper')],
      });
      expect(writes).toBeGreaterThan(5);
    },
    LONG_MS,
  );

  it(
    'purges a tombstone at once all the same',
    async () => {
      await sweep({
        before: async (world) => {
          await world.call(createNamespace, { name: 'acme:a', recursive: true });
          for (let index = 0; index < 5; index++)
            await skill(world, `s-${index}`, { ns: index < 3 ? 'acme' : 'acme:a' });
          await world.call(deleteNamespace, { name: 'acme' });
        },
        request: (world) => world.call(deleteNamespace, { name: 'acme', purge: true }),
        afterMs: 6_000,
        left: [],
      });
    },
    LONG_MS,
  );

  const family = async (world: ResourceWorld, isBlocking = false): Promise<void> => {
    const owner = await skill(world, 'owner');
    const other = await skill(world, 'other');
    const child = await skill(world, 'child', { owners: [ownedBy(owner, isBlocking)] });
    await skill(world, 'grandchild', { owners: [ownedBy(child, isBlocking)] });
    await skill(world, 'shared', { owners: [ownedBy(owner), ownedBy(other)] });
    await skill(world, 'stale', { owners: [{ ...ownedBy(other), uid: 'of another life' }] });
  };
  const remove =
    (name: string, propagation = DeletePropagation.BACKGROUND) =>
    (world: ResourceWorld) =>
      world.call(deleteResource, { ns: 'default', kind: 'Skill', name, propagation });
  const skills = (...names: readonly string[]) => names.map((name) => key('Skill', 'default', name));

  it.each([
    ['in the background', DeletePropagation.BACKGROUND, ['other', 'shared']],
    ['in the foreground', DeletePropagation.FOREGROUND, ['other', 'shared']],
    ['as orphans', DeletePropagation.ORPHAN, ['child', 'grandchild', 'other', 'shared']],
  ])(
    'removes dependants %s all the same',
    async (_, propagation, left) => {
      await sweep({
        before: (world) => family(world, propagation === DeletePropagation.FOREGROUND),
        request: remove('owner', propagation),
        afterMs: 6_000,
        left: skills(...left),
      });
    },
    LONG_MS,
  );

  it(
    'breaks a cycle of owners all the same',
    async () => {
      await sweep({
        before: async (world) => {
          const first = await skill(world, 'first');
          const second = await skill(world, 'second', { owners: [ownedBy(first)] });
          await world.store.write((tx) =>
            world.writer.modify(tx, callContext('test'), {
              key: first.key,
              change: () => ({ owners: [ownedBy(second)] }),
            }),
          );
          await world.runner.tick();
        },
        request: remove('first'),
        afterMs: 6_000,
        left: [],
      });
    },
    LONG_MS,
  );

  it(
    'removes an agent with its sessions all the same',
    async () => {
      await sweep({
        before: async (world) => {
          await world.call(createAgent, { ns: 'default', name: 'helper' });
          await world.store.write(async (tx) => {
            for (let index = 0; index < 450; index++)
              await tx.resources.insert({
                key: { kind: 'Session', namespace: 'default', parent: 'helper', name: `s-${index}` },
                ...{ apiVersion: 'svc/v1', uid: world.ids.next(), generation: 1, createdAt: tx.now() },
                ...{
                  labels: {},
                  annotations: {},
                  owners: [],
                  finalizers: [],
                  spec: '{"agent":"helper"}',
                  status: '{}',
                },
              });
          });
        },
        request: (world) => world.call(deleteResource, { ns: 'default', kind: 'Agent', name: 'helper' }),
        afterMs: 6_000,
        left: [],
      });
    },
    LONG_MS,
  );
});

describe('owners', () => {
  const withWorld = async (test: (world: ResourceWorld) => Promise<void>): Promise<void> => {
    const world = await open();
    try {
      await test(world);
    } finally {
      await world.close();
    }
  };

  it('that stand under a parent of their own keep what they own', () =>
    withWorld(async (world) => {
      await world.call(createAgent, { ns: 'default', name: 'helper' });
      const session = await world.store.write((tx) =>
        tx.resources.insert({
          key: { kind: 'Session', namespace: 'default', parent: 'helper', name: 's-1' },
          ...{ apiVersion: 'svc/v1', uid: world.ids.next(), generation: 1, createdAt: tx.now() },
          ...{ labels: {}, annotations: {}, owners: [], finalizers: [], spec: '{"agent":"helper"}', status: '{}' },
        }),
      );
      await skill(world, 'owned', { owners: [ownedBy(session)] });
      await world.runner.tick();
      expect(await everything(world)).toContain(key('Skill', 'default', 'owned'));
      await world.store.write((tx) =>
        world.writer.remove(tx, callContext('test'), { key: session.key, bySystem: true }),
      );
      await world.runner.tick();
      expect(await everything(world)).toEqual([key('Agent', 'default', 'helper')]);
    }));

  it('lose dependants of which one goes with the other', () =>
    withWorld(async (world) => {
      const owner = await skill(world, 'owner');
      await world.call(createAgent, { ns: 'default', name: 'helper' });
      const helper = await world.store.direct.resources.get(recordKey('Agent', 'default', 'helper'));
      if (helper === undefined) throw new Error('no agent');
      await world.store.write(async (tx) => {
        await tx.resources.replace({ ...helper, owners: [ownedBy(owner)] }, helper.version, ['metadata']);
        await tx.resources.insert({
          key: { kind: 'Session', namespace: 'default', parent: 'helper', name: 's-1' },
          ...{ apiVersion: 'svc/v1', uid: world.ids.next(), generation: 1, createdAt: tx.now(), labels: {} },
          ...{ annotations: {}, owners: [ownedBy(owner)], finalizers: [], spec: '{"agent":"helper"}', status: '{}' },
        });
      });
      await remove('owner')(world);
      await world.runner.tick();
      expect(await everything(world)).toEqual([]);
    }));

  it('with many dependants that are held lose the others at once', () =>
    withWorld(async (world) => {
      const owner = await skill(world, 'a-owner');
      for (let index = 0; index < 130; index++)
        await skill(world, `held-${index}`, { owners: [ownedBy(owner)], finalizers: ['example.org/hold'] });
      await skill(world, 'z-free', { owners: [ownedBy(owner)] });
      await world.runner.tick();
      await remove('a-owner')(world);
      await world.runner.tick();
      expect(await everything(world)).not.toContain(key('Skill', 'default', 'z-free'));
      expect(await everything(world)).toHaveLength(130);
    }));

  /** Dependants as a caller made them, straight into the store. */
  const insertMany = (world: ResourceWorld, names: readonly string[], facts: SkillFacts): Promise<void> =>
    world.store.write(async (tx) => {
      for (const name of names)
        await tx.resources.insert({
          ...{ key: recordKey('Skill', 'default', name), apiVersion: 'svc/v1', uid: world.ids.next() },
          ...{ generation: 1, createdAt: tx.now(), labels: {}, annotations: {}, spec: '{}', status: '{}' },
          ...{ owners: facts.owners ?? [], finalizers: facts.finalizers ?? [] },
        });
    });
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `held-${index}`);

  it(
    'with thousands of dependants that are held lose the others, and leave nothing to be looked at',
    () =>
      withWorld(async (world) => {
        const owner = await skill(world, 'a-owner');
        await insertMany(world, many(2_100), { owners: [ownedBy(owner)], finalizers: ['example.org/hold'] });
        await skill(world, 'z-free', { owners: [ownedBy(owner)] });
        await world.runner.tick();
        await remove('a-owner')(world);
        await world.runner.tick();
        expect(await world.store.direct.resources.get(recordKey('Skill', 'default', 'z-free'))).toBeUndefined();
        const held = await world.store.direct.resources.get(recordKey('Skill', 'default', 'held-2099'));
        expect(held?.deletionTimestamp).toBeDefined();
        expect(await world.store.write((tx) => tx.queue.nextDue([GC_DEPENDENTS]))).toBeUndefined();
      }),
    LONG_MS,
  );

  it(
    'that wait for dependants go when none blocks them, however many are left',
    () =>
      withWorld(async (world) => {
        const owner = await skill(world, 'owner');
        await insertMany(world, many(2_100), { owners: [ownedBy(owner)], finalizers: ['example.org/hold'] });
        const finalizers = ['example.org/hold'];
        const blocking = await skill(world, 'blocking', { owners: [ownedBy(owner, true)], finalizers });
        await world.runner.tick();
        const propagation = DeletePropagation.FOREGROUND;
        await world.call(deleteResource, { ns: 'default', kind: 'Skill', name: 'owner', propagation });
        await world.runner.tick();
        expect(await world.store.direct.resources.get(owner.key)).toBeDefined();
        await world.store.write((tx) => world.writer.writeStatus(tx, blocking.key, () => ({ finalizers: [] })));
        world.clock.advance(6_000);
        await world.runner.tick();
        expect(await world.store.direct.resources.get(owner.key)).toBeUndefined();
      }),
    LONG_MS,
  );

  it('with as many conditions as there may be name their finalizers in place of the last one', () =>
    withWorld(async (world) => {
      const held = await skill(world, 'held', { finalizers: ['example.org/hold'] });
      const conditions = Array.from({ length: 16 }, (_, index) => ({
        ...{ type: `T${index}`, status: 'True', reason: 'Yes' },
        ...{ lastTransitionTime: '1', observedGeneration: '1' },
      }));
      await world.store.write((tx) =>
        tx.resources.replace({ ...held, status: JSON.stringify({ conditions }) }, held.version, ['status']),
      );
      await remove('held')(world);
      world.clock.advance(FINALIZERS_MS);
      await world.runner.tick();
      const stored = await world.store.direct.resources.get(held.key);
      const shown = (JSON.parse(stored?.status ?? '{}') as { conditions: { type: string }[] }).conditions;
      expect(shown.map(({ type }) => type)).toEqual([...conditions.slice(0, 15).map(({ type }) => type), 'Finalized']);
    }));

  it.each([1, 2, 3])('that wait for each other in a circle of %d go all the same', (size) =>
    withWorld(async (world) => {
      const circle: StoredResource[] = [];
      for (let index = 0; index < size; index++) circle.push(await skill(world, `s-${index}`));
      for (const [index, { key: of }] of circle.entries()) {
        const owners = [ownedBy(circle[(index + 1) % size] as StoredResource, true)];
        await world.store.write((tx) =>
          world.writer.modify(tx, callContext('test'), { key: of, change: () => ({ owners }) }),
        );
      }
      await world.runner.tick();
      for (const { key: of } of circle)
        await world.store.write((tx) =>
          world.writer.remove(tx, callContext('test'), { key: of, propagation: 'foreground' }),
        );
      for (let round = 0; round < size; round++) {
        await world.runner.tick();
        world.clock.advance(6_000);
      }
      expect(await everything(world)).toEqual([]);
    }),
  );

  it('with many dependants that block them are not put off between two batches', () =>
    withWorld(async (world) => {
      const owner = await skill(world, 'owner');
      for (let index = 0; index < 210; index++)
        await skill(world, `child-${index}`, { owners: [ownedBy(owner, true)] });
      await world.runner.tick();
      const propagation = DeletePropagation.FOREGROUND;
      await world.call(deleteResource, { ns: 'default', kind: 'Skill', name: 'owner', propagation });
      await world.runner.tick();
      expect(await everything(world)).toEqual([]);
    }));

  const remove = (name: string) => (world: ResourceWorld) =>
    world.call(deleteResource, { ns: 'default', kind: 'Skill', name });
});
