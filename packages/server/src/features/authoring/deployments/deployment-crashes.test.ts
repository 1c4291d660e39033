import { GatewayService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { type ChangeFeed, ReconcileLoop } from '../../../controllers/index.ts';
import { recordKey } from '../../../resources/index.ts';
import type { Store, WriteTx } from '../../../store/contracts/index.ts';
import { sampledStrides } from '../../../store/testing/sampled.ts';
import {
  callContext,
  type DeploymentWorld,
  deployment,
  dyingStore,
  namespace,
  openDeploymentWorld,
  template,
} from '../../testing/index.ts';

const { modifyAgent } = GatewayService.method;

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
});
afterEach(() => world.close());

const agent = (ns: string, name: string, spec: string): string =>
  `kind: Agent\nmetadata: {name: ${name}, namespace: "acme:${ns}"}\nspec: {${spec}}\n---\n`;
const title = '"{{ namespace.labels.title | default: namespace.leaf }}"';

/** Everything the contract says about an end, without ids and times. */
const state = async (): Promise<unknown> => ({
  agents: (await world.list('Agent')).map(({ key, spec, labels, annotations }) => {
    const { 'svc/~created-by': maker } = annotations;
    return [key.namespace, key.name, spec, labels, annotations['svc/replica'], maker];
  }),
  replicas: (await world.list('DeploymentReplica')).map(({ key, status, finalizers }) => {
    const { conditions, ...rest } = JSON.parse(status) as { readonly conditions: readonly Record<string, string>[] };
    return [key.name, finalizers, rest, conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)];
  }),
  deployments: (await world.list('Deployment')).map(({ status }) => {
    const { phase, replicaCounts } = JSON.parse(status) as Record<string, unknown>;
    return [phase, replicaCounts];
  }),
});
const addsUp = async (): Promise<void> => {
  const { replicaCounts: counts } = await world.deployment('acme/rollout');
  if (counts === undefined) return;
  expect(counts.ready + counts.pending + counts.degraded).toBe(counts.desired);
};

/** Settles with a process that dies at its `at`-th write, then with one that starts over; true when the first one died. */
const settleKilled = async (at: number, side: 'before' | 'after'): Promise<boolean> => {
  const dying = world.controllers({ store: dyingStore(world.store, at, side) });
  const isDead = await world.settle(dying).then(
    () => false,
    (error: Error) => {
      if (error.message !== 'killed') throw error;
      return true;
    },
  );
  await addsUp();
  return isDead;
};
const restart = async (): Promise<void> => {
  const fresh = world.controllers();
  await world.resync(fresh);
  await world.settle(fresh);
};

const first = [
  namespace('a'),
  namespace('b', 'tier: gold, title: B'),
  template('one', `systemPrompt: ${title}`),
  template('two', 'systemPrompt: second'),
  template('kept', 'systemPrompt: third', { metadata: 'annotations: {option.svc/keep: "true"}' }),
  deployment('one, two, kept'),
].join('');
const second = [
  namespace('b', 'tier: silver'),
  namespace('c'),
  template('one', 'postHistoryPrompt: changed'),
  deployment('one, kept'),
].join('');

/** On PostgreSQL a controller is killed at one of so many writes. */
const POSTGRES_STRIDE = 6;

describe('a controller that is killed', () => {
  const steps: readonly (() => Promise<unknown>)[] = [
    () => world.apply(agent('a', 'two', 'postHistoryPrompt: mine') + agent('b', 'one', 'systemPrompt: other') + first),
    () => world.apply(second),
    () => world.remove('Deployment', 'acme/rollout'),
  ];
  const clean = async (): Promise<void> => {
    for (const { key } of await world.list('Agent')) await world.remove('Agent', `${key.namespace}/${key.name}`);
    await world.apply(namespace('b') + namespace('c', ''));
    await world.settle();
  };

  it.each(['before', 'after'] as const)(
    '%s any write of its own is made good by the next one',
    async (side) => {
      const reference: unknown[] = [];
      for (const step of steps) {
        await step();
        await world.settle();
        reference.push(await state());
      }
      let died = true;
      const { first: begin, step: stride } = sampledStrides(POSTGRES_STRIDE);
      for (let at = begin; died; at += stride) {
        died = false;
        await clean();
        for (const [index, step] of steps.entries()) {
          await step();
          if (await settleKilled(at, side)) {
            died = true;
            await restart();
          }
          expect(await state()).toEqual(reference[index]);
        }
        expect(await world.list('DeploymentReplica')).toEqual([]);
      }
    },
    120_000,
  );
});

it('a deployment over 200 namespaces with conflicts, drift, removed templates and a killed controller ends as the contract says, and leaves nothing behind', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  const apply = async (documents: readonly string[]): Promise<void> => {
    for (let at = 0; at < documents.length; at += 400) await world.apply(documents.slice(at, at + 400).join(''));
  };
  const isConflict = (n: number): boolean => n % 20 === 3;
  const isDrift = (n: number): boolean => n % 20 === 7;
  const isLeaving = (n: number): boolean => n % 20 === 11;
  const settleThroughKills = async (): Promise<void> => {
    let deaths = 0;
    while (await settleKilled(173, deaths % 2 === 0 ? 'before' : 'after')) {
      deaths += 1;
      await world.loseEvents();
      await world.resync().catch(() => undefined);
    }
    await restart();
  };

  await apply(numbers.map((n) => namespace(`n${n}`)));
  await apply(numbers.filter(isConflict).map((n) => agent(`n${n}`, 'one', 'systemPrompt: before')));
  await apply([template('one', `systemPrompt: ${title}`), template('two', 'systemPrompt: second')]);
  await apply([template('gone', 'systemPrompt: third'), deployment('one, two, gone')]);
  await settleThroughKills();
  expect(await world.deployment('acme/rollout')).toMatchObject({
    phase: 'Degraded',
    replicaCounts: { desired: 200n, updated: 200n, ready: 190n, pending: 0n, degraded: 10n },
  });

  for (const n of numbers.filter(isDrift))
    await world.call(modifyAgent, { ns: `acme:n${n}`, agent: 'two', spec: { systemPrompt: 'drifted' } } as never);
  await apply(numbers.filter(isLeaving).map((n) => namespace(`n${n}`, 'tier: silver')));
  await apply([deployment('one, two')]);
  await world.remove('Template', 'acme/gone');
  await settleThroughKills();

  const agents = await world.list('Agent');
  const promptOf = (n: number, name: string): unknown => {
    const found = agents.find(({ key }) => key.namespace === `acme:n${n}` && key.name === name);
    return found === undefined ? undefined : (JSON.parse(found.spec) as { systemPrompt?: string }).systemPrompt;
  };
  for (const n of numbers) {
    const isThere = !isLeaving(n);
    expect(promptOf(n, 'one')).toBe(isThere ? (isConflict(n) ? 'before' : `n${n}`) : undefined);
    expect(promptOf(n, 'two')).toBe(isThere ? 'second' : undefined);
    expect(promptOf(n, 'gone')).toBeUndefined();
  }
  expect(await world.deployment('acme/rollout')).toMatchObject({
    phase: 'Degraded',
    replicaCounts: { desired: 190n, updated: 190n, ready: 180n, pending: 0n, degraded: 10n },
  });
  const before = await world.newest();
  await world.resync();
  expect(await world.newest()).toBe(before);

  await world.remove('Deployment', 'acme/rollout');
  await settleThroughKills();
  expect(await world.list('Deployment')).toEqual([]);
  expect(await world.list('DeploymentReplica')).toEqual([]);
  const left = (await world.list('Agent')).map(({ key, spec }) => [key.namespace, key.name, spec]);
  expect(left).toEqual(
    numbers
      .filter(isConflict)
      .map((n) => [`acme:n${n}`, 'one', '{"systemPrompt":"before"}'])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  );
}, 300_000);

describe('two nodes', () => {
  it('over one replica write it once, whoever is first', async () => {
    await world.apply(first);
    const [nodeA, nodeB] = [world.controllers(), world.controllers()];
    for (let round = 0; round < 8; round++) {
      const keys = (await world.list('DeploymentReplica')).map(({ key }) => key);
      const deploymentKey = recordKey('Deployment', 'acme', 'rollout');
      await Promise.all([nodeA[0]?.reconcile(deploymentKey), nodeB[0]?.reconcile(deploymentKey)]);
      await Promise.all(keys.flatMap((key) => [nodeA[1]?.reconcile(key), nodeB[1]?.reconcile(key)]));
    }
    expect((await world.list('Agent')).map(({ generation }) => generation)).toEqual([1, 1, 1, 1, 1, 1]);
    await world.settle();
    expect((await world.deployment('acme/rollout')).phase).toBe('Ready');
  });

  it('a pass that loses every race gives up for now', async () => {
    await world.apply(first);
    await world.settle();
    await world.apply(template('two', 'systemPrompt: newer'));
    let races = 0;
    const disturb = (tx: WriteTx): Promise<unknown> =>
      world.writer.modify(tx, callContext('test'), {
        key: recordKey('Agent', 'acme:a', 'two'),
        change: (current) => ({ labels: { ...current.labels, race: String(races) } }),
      });
    const racing: Pick<Store, 'read' | 'write' | 'direct' | 'now'> = {
      direct: world.store.direct,
      now: () => world.store.now(),
      read: (work) => world.store.read(work),
      write: async (work) => {
        races += 1;
        await world.store.write(disturb);
        return world.store.write(work);
      },
    };
    const [replica] = await world.replicasFor('acme:a');
    const [, controller] = world.controllers({ store: racing });
    await expect(controller?.reconcile(replica?.key ?? recordKey('', '', ''))).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(races).toBe(6);
    await world.settle();
    expect(await world.spec('Agent', 'acme:a/two')).toEqual({ systemPrompt: 'newer' });
  });
});

describe('the loops of deployments', () => {
  const silent: ChangeFeed = { subscribe: () => ({ after: 0, stop: () => undefined }) };
  const startLoops = async (feed: ChangeFeed): Promise<readonly ReconcileLoop[]> => {
    const loops = world.controllers().map((one) => new ReconcileLoop(one, { ...world, feed, log: silentLog }));
    for (const loop of loops) await loop.start();
    return loops;
  };
  const work = async (loops: readonly ReconcileLoop[], ms: number): Promise<void> => {
    world.clock.advance(ms);
    for (let round = 0; round < 10; round++) {
      await world.feed.tick();
      for (const loop of loops) await loop.tick();
      world.clock.advance(1);
    }
  };

  it('repair at the next resync what no event told them', async () => {
    await world.apply(first);
    await world.settle();
    const loops = await startLoops(silent);
    await work(loops, 0);
    await world.call(modifyAgent, { ns: 'acme:a', agent: 'two', spec: { systemPrompt: 'drifted' } } as never);
    await work(loops, 250);
    expect(await world.spec('Agent', 'acme:a/two')).toEqual({ systemPrompt: 'drifted' });
    await work(loops, 300_000);
    expect(await world.spec('Agent', 'acme:a/two')).toEqual({ systemPrompt: 'second' });
    for (const loop of loops) loop.close();
  });

  it('wait a quarter of a second for further changes, and write once', async () => {
    const loops = await startLoops(world.feed);
    await world.apply(first);
    for (let round = 0; round < 10; round++) await work(loops, 250);
    expect((await world.deployment('acme/rollout')).phase).toBe('Ready');
    const generation = async (): Promise<number> => (await world.get('Agent', 'acme:a/one'))?.generation ?? 0;
    const before = await generation();
    for (const word of ['x', 'y', 'z']) {
      await world.apply(namespace('a', `tier: gold, title: ${word}`));
      await work(loops, 50);
    }
    expect(await generation()).toBe(before);
    await work(loops, 250);
    expect(await world.spec('Agent', 'acme:a/one')).toEqual({ systemPrompt: 'z' });
    expect(await generation()).toBe(before + 1);
    for (const loop of loops) loop.close();
  });
});

it('counts add up after every single write', async () => {
  const observed: Pick<Store, 'read' | 'write' | 'direct' | 'now'> = {
    direct: world.store.direct,
    now: () => world.store.now(),
    read: (work) => world.store.read(work),
    write: async (work) => {
      const result = await world.store.write(work);
      await addsUp();
      return result;
    },
  };
  const controllers = world.controllers({ store: observed });
  await world.apply(Array.from({ length: 100 }, (_, n) => namespace(`n${n}`)).join(''));
  await world.apply(first);
  await world.settle(controllers);
  expect((await world.deployment('acme/rollout')).replicaCounts).toMatchObject({ desired: 102n, ready: 102n });
  await world.apply(second);
  await world.settle(controllers);
  const before = await world.newest();
  await world.resync(controllers);
  expect(await world.newest()).toBe(before);
});
