import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';
import { deliveryClaims } from './delivery-claims.ts';
import { replyDraft } from './delivery-drafts.ts';
import { DeliveryProgress } from './delivery-progress.ts';

const LEASE_MS = 25_000;
const ORDER_HOLD_MS = 60_000;
const FAILED = { do: 'retry', error: 'HTTP_500', afterMs: 0, isUnauthorized: false, isUnregistered: false } as const;

let world: DeliveryWorld;
beforeEach(async () => {
  world = new DeliveryWorld();
  await world.start();
  await world.connector('auto');
});
afterEach(() => world.close());

const progressOf = ({ engine: { store, ids }, turns }: DeliveryWorld) =>
  new DeliveryProgress({
    store,
    ids,
    workerId: 'w1',
    book: turns.book,
    random: seededRandom(1),
    showUndelivered: async () => undefined,
    leaseMs: LEASE_MS,
    windowMs: 86_400_000,
    orderHoldMs: ORDER_HOLD_MS,
  });

it('a sender whose claim has lapsed writes nothing once another one took the delivery', async () => {
  await world.answered('!say hi');
  const progress = progressOf(world);
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

it('a delivery is held by the worker that sends it, until its claim lapses or the attempt ends', async () => {
  await world.connectorClass();
  await world.answered('!say hi');
  await world.answered('!say waits');
  const progress = progressOf(world);
  const [row] = await world.rows();
  const held = (name: string) => world.engine.store.write((tx) => deliveryClaims.held(tx, { name }, 10));
  expect(await held('w1')).toEqual([]);
  const at = world.clock.nowMicros();
  const taking = await progress.take(row?.id ?? '', () => true);
  if (!('taken' in taking)) throw new Error('not taken');
  const times = { since: at, until: at + LEASE_MS * 1_000 };
  const claim = { kind: 'delivery', id: row?.id, namespace: 'default', name: 'help', state: 'sending', tries: 1 };
  expect(await held('w1')).toEqual([{ ...claim, ...times }]);
  expect(await held('w')).toEqual([]);
  world.clock.advance(LEASE_MS);
  expect(await held('w1')).toEqual([]);
  const again = await progress.take(row?.id ?? '', () => true);
  if (!('taken' in again)) throw new Error('not taken');
  expect((await held('w1')).map(({ tries }) => tries)).toEqual([2]);
  await progress.settle(again.taken, { do: 'delivered' });
  expect(await held('w1')).toEqual([]);
});

it('a conversation stays in order, also after more failing deliveries than are read at once', async () => {
  const { store } = world.engine;
  const progress = progressOf(world);
  const add = (runId: string) => {
    const source = { kind: 'workflow', runId } as const;
    const said = { namespace: 'default', subject: `run/${runId}`, text: 'hi', attachments: [], source };
    const draft = replyDraft(world.context(), { mode: 'auto', matchFields: {}, annotations: {} }, said);
    return store.write((tx) => world.turns.book.add(tx, draft));
  };
  const take = (id: string) => progress.take(id, () => true);
  for (let count = 0; count < 51; count += 1) {
    const taking = await take((await add(`stuck-${count}`)).id);
    if (!('taken' in taking)) throw new Error('not taken');
    await progress.settle(taking.taken, FAILED);
    world.clock.advance(ORDER_HOLD_MS);
  }
  const [first, second] = [await add('first'), await add('second')];
  expect(await take(second.id)).toEqual({ againMs: 30_000 });
  const taking = await take(first.id);
  if (!('taken' in taking)) throw new Error('not taken');
  world.clock.advance(ORDER_HOLD_MS - 1_000);
  expect(await take(second.id)).toEqual({ againMs: 1_000 });
  await progress.settle(taking.taken, { do: 'delivered' });
  expect(await take(second.id)).toMatchObject({ taken: { id: second.id } });
});
