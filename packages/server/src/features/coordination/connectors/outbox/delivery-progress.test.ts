import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';
import { DeliveryProgress } from './delivery-progress.ts';

const LEASE_MS = 25_000;

let world: DeliveryWorld;
beforeEach(async () => {
  world = new DeliveryWorld();
  await world.start();
  await world.connector('auto');
});
afterEach(() => world.close());

it('a sender whose claim has lapsed writes nothing once another one took the delivery', async () => {
  await world.answered('!say hi');
  const { store, ids } = world.engine;
  const progress = new DeliveryProgress({
    store,
    ids,
    book: world.turns.book,
    random: seededRandom(1),
    showUndelivered: async () => undefined,
    leaseMs: LEASE_MS,
    windowMs: 86_400_000,
    orderHoldMs: 60_000,
  });
  const [row] = await world.rows();
  const take = async () => {
    const taking = await progress.take(row?.id ?? '', () => true);
    return 'taken' in taking ? taking.taken : taking;
  };
  const first = await take();
  if (!('body' in first)) throw new Error('not taken');
  expect(await take()).toEqual({ againMs: LEASE_MS });
  world.clock.advance(LEASE_MS);
  const second = await take();
  if (!('body' in second)) throw new Error('not taken');
  expect(second.body.attempts).toBe(2);
  expect(await progress.settle(first, { do: 'reject', error: 'late' })).toBeUndefined();
  expect(await world.states()).toEqual(['pending']);
  expect(await progress.settle(second, { do: 'delivered' })).toMatchObject({ state: 'delivered' });
});
