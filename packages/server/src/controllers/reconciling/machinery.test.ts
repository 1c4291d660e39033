import { setImmediate as turn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, silentLog } from '../../base/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../features/testing/index.ts';
import { recordKey } from '../../resources/index.ts';
import type { ResourceChange, ResourceQuery, Store } from '../../store/contracts/index.ts';
import { quietStore } from '../../store/testing/quiet-store.ts';
import {
  type CheckResult,
  kindContract,
  RESOURCES_CHANGED,
  type ReconcileOutcome,
  type Reconciler,
} from '../contract.ts';
import { QueueRunner } from '../queues/index.ts';
import { ReconcileLoop } from './reconcile-loop.ts';

let world: ResourceWorld;

beforeEach(async () => {
  world = await openResourceWorld({ contracts: () => [kindContract({ kind: 'Skill', validate: () => [] })] });
});
afterEach(() => world.close());

const skill = (name: string, description = ''): Promise<unknown> =>
  world.store.write((tx) => {
    const key = recordKey('Skill', 'default', name);
    return world.writer.put(tx, callContext('test'), { key, spec: create(SkillSpecSchema, { description }) });
  });
const settle = (): Promise<void> => quietStore(world.store);

describe('a reconcile loop', () => {
  const passes: string[] = [];
  let outcome: (name: string) => ReconcileOutcome = () => ({ done: true });
  let mapFailures = 0;
  let loop: ReconcileLoop;

  beforeEach(async () => {
    passes.length = 0;
    outcome = () => ({ done: true });
    mapFailures = 0;
    const reconciler: Reconciler = {
      name: 'skills',
      kinds: ['Skill'],
      resyncMs: 60_000,
      concerns: ({ resource }) => resource.key.kind === 'Skill',
      keysFor: async ({ resource }) => {
        if (mapFailures-- > 0) throw new Error('no store');
        return [resource.key];
      },
      reconcile: async (key) => {
        passes.push(key.name);
        return outcome(key.name);
      },
    };
    await skill('old');
    await settle();
    loop = new ReconcileLoop(reconciler, { ...world, log: silentLog });
    loop.start();
    await loop.tick();
  });
  afterEach(() => loop.close());

  it('passes over what is there at the start and over what changes later', async () => {
    await skill('new');
    await world.feed.tick();
    await loop.tick();
    expect(passes).toEqual(['old', 'new']);
  });

  it('is not woken, nor asked for keys, by a change that does not concern it', async () => {
    await world.store.write((tx) =>
      tx.resources.insert({
        ...{ key: recordKey('Agent', 'default', 'x'), apiVersion: 'svc/v1', uid: 'x', generation: 1, createdAt: 1 },
        ...{ labels: {}, annotations: {}, owners: [], finalizers: [], spec: '{}', status: '{}' },
      }),
    );
    mapFailures = 1;
    await world.feed.tick();
    await loop.tick();
    expect([passes, mapFailures]).toEqual([['old'], 1]);
  });

  it('passes over everything again at a resync, lost hints or not', async () => {
    world.clock.advance(60_000);
    await settle();
    await loop.tick();
    expect(passes).toEqual(['old', 'old']);
  });

  it('loses no change whose keys could not be told, nor those that came with it', async () => {
    mapFailures = 1;
    await skill('first');
    await skill('second');
    await world.feed.tick();
    await loop.tick();
    expect(passes).toEqual(['old', 'second']);
    world.clock.advance(5_000);
    await settle();
    await loop.tick();
    expect(passes).toContain('first');
  });

  it('begins without waiting for what is there, and lists it again when that failed', async () => {
    let failures = 1;
    const resources = Object.assign(Object.create(world.store.direct.resources), {
      versionRange: () => world.store.direct.resources.versionRange(),
      list: async (query: ResourceQuery) => {
        if (failures-- > 0) throw new Error('no store');
        return world.store.direct.resources.list(query);
      },
    });
    const store: Pick<Store, 'direct' | 'read' | 'now'> = {
      direct: { ...world.store.direct, resources },
      read: world.store.read.bind(world.store),
      now: () => world.store.now(),
    };
    const seen: string[] = [];
    const late = new ReconcileLoop(
      {
        ...{ name: 'late', kinds: ['Skill'], resyncMs: 60_000, concerns: () => true, keysFor: async () => [] },
        reconcile: async (key) => {
          seen.push(key.name);
          return { done: true };
        },
      },
      { ...world, store, log: silentLog },
    );
    late.start();
    expect(seen).toEqual([]);
    await late.tick();
    expect(seen).toEqual([]);
    world.clock.advance(5_000);
    await late.tick();
    expect(seen).toEqual(['old']);
    late.close();
  });

  it('lets others in between many passes', async () => {
    for (let index = 0; index < 40; index++) await skill(`s-${index}`);
    await world.feed.tick();
    await loop.tick();
    passes.length = 0;
    const between = turn().then(() => passes.length);
    await loop.resync();
    await loop.tick();
    expect(await between).toBeLessThan(41);
    expect(passes).toHaveLength(41);
  });

  it('comes back to keys that ask for it and to keys that fail', async () => {
    let failures = 2;
    outcome = () => {
      if (failures-- > 0) throw new Error('not yet');
      return { againMs: 5_000 };
    };
    await skill('old', 'changed');
    await world.feed.tick();
    await loop.tick();
    for (let round = 0; round < 4; round++) {
      world.clock.advance(500);
      await loop.tick();
    }
    expect(passes).toHaveLength(4);
    outcome = () => ({ done: true });
    world.clock.advance(5_000);
    await loop.tick();
    expect(passes).toHaveLength(5);
    world.clock.advance(30_000);
    await loop.tick();
    expect(passes).toHaveLength(5);
  });

  it('does not try again what failed for good, until a change gives its key', async () => {
    outcome = (name) => (name === 'new' ? { failed: 'unreadable' } : { done: true });
    await skill('new');
    await world.feed.tick();
    await loop.tick();
    for (let round = 0; round < 3; round++) {
      world.clock.advance(60_000);
      await settle();
      await loop.tick();
    }
    expect(passes.filter((name) => name === 'new')).toEqual(['new']);
    await skill('new', 'changed');
    await world.feed.tick();
    await loop.tick();
    expect(passes.filter((name) => name === 'new')).toEqual(['new', 'new']);
  });
});

describe('a reconcile loop with a check', () => {
  const RESYNC_MS = 60_000;
  const checks: string[] = [];
  const passes: string[] = [];
  let found: (name: string) => CheckResult = () => ({ done: true });
  let loop: ReconcileLoop;

  const errors: object[] = [];

  const begin = async (checksResourcesOnly: boolean, follows = false): Promise<void> => {
    const reconciler: Reconciler = {
      ...{ name: 'skills', kinds: ['Skill'], resyncMs: RESYNC_MS, checksResourcesOnly },
      ...{ concerns: () => follows, keysFor: async ({ resource }) => [resource.key] },
      check: async ({ key }, { resources }) => {
        expect(await resources.get(key)).toBeDefined();
        checks.push(key.name);
        return found(key.name);
      },
      reconcile: async (key) => {
        passes.push(key.name);
        return { done: true };
      },
    };
    const error = (_message: string, fields?: object): void => void errors.push({ ...fields });
    loop = new ReconcileLoop(reconciler, { ...world, log: { ...silentLog, error } });
    loop.start();
    await loop.tick();
  };
  const resync = async (): Promise<void> => {
    world.clock.advance(RESYNC_MS);
    await loop.tick();
  };

  beforeEach(async () => {
    checks.length = 0;
    passes.length = 0;
    errors.length = 0;
    found = () => ({ done: true });
    for (const name of ['a', 'b', 'c']) await skill(name);
  });
  afterEach(() => loop.close());

  it('reconciles what is due, when it is due', async () => {
    const answers: Record<string, CheckResult> = { a: { due: true }, b: { againMs: 5_000 }, c: { done: true } };
    found = (name) => answers[name] ?? { done: true };
    await begin(false);
    expect([checks, passes]).toEqual([['a', 'b', 'c'], ['a']]);
    answers['b'] = { due: true };
    world.clock.advance(5_000);
    await loop.tick();
    expect([checks, passes]).toEqual([
      ['a', 'b', 'c', 'b'],
      ['a', 'b'],
    ]);
  });

  it('checks a key of a change before it reconciles it, and what a full pass found due only once', async () => {
    found = (name) => (name === 'b' ? { due: true } : { done: true });
    await world.feed.tick();
    await begin(false, true);
    expect([checks, passes]).toEqual([['a', 'b', 'c'], ['b']]);
    await skill('a', 'changed');
    await skill('b', 'changed');
    await world.feed.tick();
    await loop.tick();
    expect([checks.slice(3), passes]).toEqual([
      ['a', 'b'],
      ['b', 'b'],
    ]);
  });

  it('logs once that a resource cannot be checked, and waits until it changes', async () => {
    found = (name) => {
      if (name === 'c') throw new Error('broken');
      return { done: true };
    };
    await begin(false);
    await resync();
    world.clock.advance(30_000);
    await loop.tick();
    expect([checks, passes]).toEqual([['a', 'b', 'c', 'a', 'b', 'c'], []]);
    expect(errors).toEqual([{ controller: 'skills', key: 'Skill/default/c', reason: 'Error: broken' }]);
    await skill('c', 'changed');
    await resync();
    expect(errors).toHaveLength(2);
    found = () => ({ due: true });
    await resync();
    expect(passes).toEqual(['a', 'b']);
    await skill('c', 'mended');
    await resync();
    expect(passes).toEqual(['a', 'b', 'a', 'b', 'c']);
  });

  it('takes all pages of what is there', async () => {
    const names = Array.from({ length: 230 }, (_, index) => `s-${String(index).padStart(3, '0')}`);
    await world.store.write(async (tx) => {
      for (const name of names) {
        const key = recordKey('Skill', 'default', name);
        await world.writer.put(tx, callContext('test'), { key, spec: create(SkillSpecSchema) });
      }
    });
    found = (name) => (name.endsWith('9') ? { due: true } : { done: true });
    await begin(false);
    expect(checks).toEqual(['a', 'b', 'c', ...names]);
    expect(passes).toEqual(names.filter((name) => name.endsWith('9')));
  });

  it('looks at nothing again while nothing was written, where it sees resources alone', async () => {
    await begin(true);
    await resync();
    expect(checks).toHaveLength(3);
    await skill('a', 'changed');
    await resync();
    expect(checks).toHaveLength(6);
    loop.close();
    checks.length = 0;
    await begin(false);
    await resync();
    expect(checks).toHaveLength(6);
  });

  it('begins anew when the store could not be read', async () => {
    const read = world.store.read.bind(world.store);
    let failures = 1;
    world.store.read = async (work) => {
      if (failures-- > 0) throw new Fault('UNAVAILABLE', 'STORAGE', 'no store');
      return read(work);
    };
    await begin(true);
    expect(checks).toEqual([]);
    world.clock.advance(5_000);
    await loop.tick();
    expect(checks).toEqual(['a', 'b', 'c']);
    found = () => {
      throw new Fault('UNAVAILABLE', 'STORAGE', 'no store');
    };
    await skill('a', 'changed');
    await resync();
    expect(passes).toEqual([]);
  });
});

describe('a reconcile loop with several passes at a time', () => {
  it('passes over other keys meanwhile, never twice over one, and takes news while it has room', async () => {
    const open = new Map<string, () => void>();
    const begun: string[] = [];
    let most = 0;
    const loop = new ReconcileLoop(
      {
        name: 'skills',
        kinds: ['Skill'],
        resyncMs: 60_000,
        concurrency: 2,
        debounceMs: 250,
        concerns: ({ resource }) => resource.key.kind === 'Skill',
        keysFor: async ({ resource }) => [resource.key],
        reconcile: async (key) => {
          begun.push(key.name);
          most = Math.max(most, open.size + 1);
          await new Promise<void>((resolve) => open.set(key.name, resolve));
          open.delete(key.name);
          return { done: true };
        },
      },
      { ...world, log: silentLog },
    );
    for (const name of ['a', 'b', 'c']) await skill(name);
    await loop.start();
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await skill('a', 'changed');
    await skill('d');
    await world.feed.tick();
    await settle();
    open.get('b')?.();
    await settle();
    open.get('c')?.();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    world.clock.advance(250);
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    open.get('a')?.();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'a']);
    expect(most).toBe(2);
    for (const release of open.values()) release();
    await loop.tick();
    loop.close();
  });
});

describe('the change feed', () => {
  it('hands every change to every subscriber once, in order, on hints and without them', async () => {
    const [first, second]: [number[], number[]] = [[], []];
    const take = (list: number[]) => (changes: readonly ResourceChange[]) =>
      void list.push(...changes.map((change) => change.version));
    const subscription = world.feed.subscribe(take(first));
    for (let index = 0; index < 5; index++) await skill(`s-${index}`);
    await world.feed.tick();
    world.feed.subscribe(take(second));
    await world.store.write((tx) =>
      tx.resources.insert({
        ...{ key: recordKey('Skill', 'default', 'silent'), apiVersion: 'svc/v1', uid: world.ids.next() },
        ...{ generation: 1, createdAt: tx.now(), labels: {}, annotations: {}, owners: [], finalizers: [] },
        ...{ spec: '{}', status: '{}' },
      }),
    );
    world.clock.advance(2_000);
    await settle();
    expect(first).toHaveLength(6);
    expect(first).toEqual([...new Set(first)].sort((left, right) => left - right));
    expect(second).toEqual(first.slice(5));
    subscription.stop();
    await skill('later');
    await world.feed.tick();
    expect(first).toHaveLength(6);
  });
});

describe('the queue runner', () => {
  const put = (key: string, dueAt: number): Promise<void> =>
    world.store.write((tx) => tx.queue.put({ kind: 'test', key, dueAt, attempts: 0, payload: '' }));

  it('runs due items until they are done, failed ones later, and what failed for good no more', async () => {
    const runs: string[] = [];
    const errors: object[] = [];
    const error = (_message: string, fields?: object): void => void errors.push({ ...fields });
    let failures = 1;
    const runner = new QueueRunner({
      ...{ store: world.store, bus: world.bus, clock: world.clock, random: world.random },
      log: { ...silentLog, error },
      pollMs: 1_000,
      workers: [
        {
          kinds: ['test'],
          run: async ({ key }) => {
            runs.push(key);
            if (key === 'fails' && failures-- > 0) throw new Error('no');
            if (key === 'lost') return { failed: 'no payload' };
            return key === 'long' && runs.length < 3 ? { againMs: 0 } : { done: true };
          },
        },
      ],
    });
    await put('long', 0);
    await runner.tick();
    expect(runs).toEqual(['long', 'long', 'long']);
    await put('fails', 0);
    await put('later', world.store.now() + 10_000_000);
    runner.start();
    await settle();
    await runner.tick();
    expect(runs.slice(3)).toEqual(['fails']);
    world.clock.advance(2_000);
    await settle();
    await runner.tick();
    expect(runs.slice(3)).toEqual(['fails', 'fails']);
    world.clock.advance(20_000);
    world.bus.publish(RESOURCES_CHANGED, { version: 1 });
    await settle();
    await runner.tick();
    expect(runs.slice(3)).toEqual(['fails', 'fails', 'later']);
    await put('lost', 0);
    await runner.tick();
    expect(errors).toEqual([{ kind: 'test', key: 'lost', reason: 'no payload' }]);
    world.clock.advance(600_000);
    await settle();
    await runner.tick();
    expect(runs.slice(6)).toEqual(['lost']);
    runner.close();
  });
});
