import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../store/contracts/index.ts';
import { type Death, dyingStore } from '../../../testing/dying-store.ts';
import type { StubAnswer } from '../testing/connector-service-stub.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

describe('a delivery', () => {
  let world: DeliveryWorld;
  beforeEach(async () => {
    world = new DeliveryWorld();
    await world.start();
    await world.connector('auto');
  });
  afterEach(() => world.close());

  // CO-6, 35
  it.each<readonly [StubAnswer, string, boolean]>([
    [{ body: { accepted: true } }, 'delivered', false],
    [{ status: 503, body: 'down' }, 'pending HTTP_503', true],
    [{ status: 409, body: { disposition: 'duplicate' } }, 'delivered', false],
    [{ status: 200, body: { accepted: false, error: 'no such\nchannel' } }, 'rejected no such channel', false],
    [{ status: 500, body: { disposition: 'rejected' } }, 'rejected REJECTED: the service refused the message', false],
    [
      { status: 200, body: 'ok' },
      'pending the answer says neither that the message was accepted nor that it was refused',
      true,
    ],
    [{ status: 302, headers: { location: '/elsewhere' } }, 'rejected HTTP_302', false],
    [{ status: 404, body: { error: 'gone' } }, 'rejected HTTP_404: gone', false],
  ])('answered with %j becomes %s', async (answer, state, isSentAgain) => {
    world.service.answers.push(answer);
    const { sessionId } = await world.answered('!say hi');
    await world.deliver();
    expect(await world.states()).toEqual([state]);
    const failed = state.startsWith('rejected') ? 'failed' : undefined;
    expect((await world.labels(sessionId))['svc/connector-delivery-status']).toBe(failed);
    await world.later(3_000);
    expect(await world.states()).toEqual([isSentAgain ? 'delivered' : state]);
    expect(new Set(world.service.deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect(world.service.deliveries).toHaveLength(isSentAgain ? 2 : 1);
  });

  it('waits as long as the service asks for, an hour at most', async () => {
    world.service.answers.push({ status: 429, headers: { 'retry-after': '120' } });
    await world.answered('!say hi');
    await world.deliver();
    await world.later(119_000);
    expect(world.service.deliveries).toHaveLength(1);
    await world.later(2_000);
    expect(await world.states()).toEqual(['delivered']);
  });

  it('counts a service that does not answer, or cannot be reached, as a failed attempt', async () => {
    world.service.answers.push('hang');
    await world.answered('!say hi');
    await world.runner.tick();
    await expect.poll(() => world.service.seen.length).toBe(1);
    world.clock.advance(15_000);
    await world.parts.settled();
    expect(await world.states()).toEqual(['pending TIMEOUT: no answer within 15 s']);
    world.place = {
      state: 'open',
      version: '1',
      health: '',
      place: { endpoint: 'http://127.0.0.1:1', apiKey: '', isTrusted: false },
    };
    await world.later(3_000);
    expect(await world.states()).toEqual([expect.stringMatching(/^pending UNREACHABLE: /)]);
  });

  it('is dead once it has failed for the whole window, and an operator may send it again under its id', async () => {
    world.service.answers.push({ status: 500 }, { status: 500 });
    const { sessionId } = await world.answered('!say hi');
    await world.deliver();
    await world.later(DAY);
    expect(await world.states()).toEqual(['dead EXPIRED: HTTP_500']);
    expect(await world.labels(sessionId)).toMatchObject({
      'svc/connector-delivery-status': 'failed',
      'svc/connector-delivery-error': 'EXPIRED: HTTP_500',
    });
    const [dead] = await world.rows();
    await world.call('RetryDelivery', { deliveryId: dead?.id });
    await world.deliver();
    expect(await world.rows()).toMatchObject([{ id: dead?.id, state: 'delivered', attempts: 1 }]);
    expect((await world.labels(sessionId))['svc/connector-delivery-status']).toBe('delivered');
  });

  it('follows those of its conversation in order, and no longer waits for one that has failed for a minute', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) world.service.answers.push({ status: 500 });
    await world.answered('!say first', { message: 'a' });
    await world.deliver();
    await world.answered('!say second', { message: 'b' });
    await world.deliver();
    expect(world.service.deliveries.map(({ text }) => text)).toEqual(['first']);
    await world.answered('!say elsewhere', { thread: 'other', message: 'c' });
    world.service.answers.unshift({ body: { accepted: true } });
    await world.deliver();
    expect(world.service.deliveries.map(({ text }) => text)).toEqual(['first', 'elsewhere']);
    for (let waited = 0; waited < 5; waited += 1) await world.later(20_000);
    expect(await world.rows()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }, { state: 'delivered' }]);
    const texts = world.service.deliveries.map(({ text }) => text);
    expect(texts.indexOf('second')).toBeGreaterThan(3);
    expect(texts.at(-1)).toBe('first');
  });

  it('waits without failing while no registration is in force, and ends with its class', async () => {
    world.place = { state: 'waiting', reason: 'the class is not registered' };
    await world.answered('!say hi');
    await world.deliver();
    await world.later(2 * DAY);
    expect(await world.rows()).toMatchObject([
      { state: 'pending', attempts: 0, lastError: 'the class is not registered' },
    ]);
    world.place = undefined;
    world.service.answers.push({ status: 400, body: { disposition: 'unregistered' } });
    await world.later(MINUTE);
    expect(world.renewals).toBe(1);
    expect(await world.states()).toEqual(['pending the service does not know the registration']);
    expect(await world.engine.store.write((tx) => world.parts.classDeleted(tx, 'uid-chat'))).toBe(true);
    expect(await world.states()).toEqual(['dead CLASS_DELETED: the connector class was deleted']);
    await world.later(MINUTE);
    expect(world.service.deliveries).toHaveLength(1);
    world.place = { state: 'deleted' };
    await world.answered('!say late', { message: 'b' });
    await world.deliver();
    expect((await world.states()).at(-1)).toBe('dead CLASS_DELETED: the connector class was deleted');
  });

  it('shows in its class whether the service takes deliveries', async () => {
    const failing = { status: 500 };
    world.service.answers.push({ status: 401 }, { body: { accepted: true } }, failing, failing, failing);
    await world.answered('!say one', { thread: 'a' });
    await world.deliver();
    await world.later(3_000);
    await world.answered('!say two', { thread: 'b' });
    await world.deliver();
    for (let waited = 0; waited < 4; waited += 1) await world.later(30_000);
    expect(world.health.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'False Unauthorized',
      'True Delivering',
      'False Unavailable',
      'True Delivering',
    ]);
  });

  it('shows that the service takes deliveries again, also where another process had shown that it does not', async () => {
    await world.answered('!say one', { thread: 'a' });
    await world.deliver();
    world.health.push({ status: 'False', reason: 'Unavailable', message: 'shown by another process' });
    await world.answered('!say two', { thread: 'b' });
    await world.deliver();
    await world.answered('!say three', { thread: 'c' });
    await world.deliver();
    expect(world.health.map(({ reason }) => reason)).toEqual(['Delivering', 'Unavailable', 'Delivering']);
  });

  it('is sent with at most eight others to one service at once', async () => {
    for (let call = 0; call < 10; call += 1) world.service.answers.push('hang');
    const said = [];
    for (let call = 0; call < 10; call += 1) said.push(await world.say(`!say ${call}`, { thread: `t${call}` }));
    for (const { turnId } of said) await world.engine.ended(turnId);
    await world.runner.tick();
    await expect.poll(() => world.service.seen.length).toBe(8);
    await world.runner.tick();
    expect(world.service.seen).toHaveLength(8);
    world.clock.advance(15_000);
    // The two that found no room follow at once, without a turn of the queue.
    await expect.poll(() => world.service.seen.length).toBe(10);
    world.clock.advance(15_000);
    await world.parts.settled();
  });

  it('is kept for a week once it has ended', async () => {
    await world.answered('!say hi');
    await world.deliver();
    const [job] = world.parts.jobs;
    await world.later(6 * DAY);
    await job?.tick();
    expect(await world.rows()).toHaveLength(1);
    await world.later(2 * DAY);
    await job?.tick();
    expect(await world.rows()).toEqual([]);
  });
});

describe('a process that sends', () => {
  const sides: readonly Death[] = ['before', 'after'];
  const points = [1, 2, 3, 4, 5].flatMap((at) => sides.map((side) => [at, side] as const));

  // CO-6, 34: what follows the end of the turn
  it.each(points)('and dies at write %i, %s its commit, leaves one answer under one id', async (at, side) => {
    const world = new DeliveryWorld();
    await world.start();
    await world.connector('auto');
    await world.answered('!say once');
    const { store } = world.engine;
    const dying = { ...dyingStore(store, at, side), steadyNow: () => store.steadyNow() } as unknown as Store;
    world.open(dying);
    await world.deliver().catch(() => undefined);
    world.runner.close();
    world.open(store);
    await world.later(MINUTE);
    expect(await world.states()).toEqual(['delivered']);
    expect(world.service.taken).toHaveLength(1);
    expect(new Set(world.service.deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    await world.close();
  });
});
