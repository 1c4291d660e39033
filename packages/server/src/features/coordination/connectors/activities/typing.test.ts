import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectorFetch, ConnectorService } from '../outbox/index.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';
import { Typing } from './typing.ts';

const ON = { 'option.svc/activities': 'typing' };
/** Longer than these tests move the clock: it runs ahead of a store that takes its time, and the turn must stay claimed. */
const LEASE_MS = 3_600_000;

describe('a turn of a platform', () => {
  let world: DeliveryWorld;
  beforeEach(async () => {
    world = new DeliveryWorld({ config: { leaseMs: LEASE_MS } });
    await world.start();
    await world.connector('auto');
    await world.connectorClass(ON);
  });
  afterEach(() => world.close());

  const phases = (): readonly unknown[] =>
    world.service.seen.filter(({ path }) => path === '/v1/activities').map(({ body }) => body['phase']);
  const stopped = async (said: { readonly sessionId: string; readonly turnId: string }): Promise<void> => {
    await world.engine.store.write(async (tx) => {
      const session = await tx.log.lockSession(said.sessionId);
      if (session !== undefined) await world.engine.runtime.lifecycle.stop(tx, session, said.turnId);
    });
    await world.engine.ended(said.turnId);
    await world.parts.settled();
  };

  it('shows that the agent types until it ends, every 20 s', async () => {
    const said = await world.say('!hold gate', { thread: 't' });
    await expect.poll(phases).toEqual(['start']);
    world.service.answers.push({ status: 500 });
    const afterAWhile = (): readonly unknown[] => {
      world.clock.advance(5_000);
      return phases().slice(0, 2);
    };
    await expect.poll(afterAWhile).toEqual(['start', 'active']);
    await stopped(said);
    expect(phases().filter((phase) => phase !== 'active')).toEqual(['start', 'stop']);
    expect(phases().at(-1)).toBe('stop');
    const [first] = world.service.seen;
    expect(first?.body).toMatchObject({
      kind: 'typing',
      externalConversationId: 'C1',
      externalThreadId: 't',
      statusText: '',
    });
    expect(new Set(world.service.seen.map(({ body }) => body['activityId'])).size).toBe(1);
  });

  it('stops in a process that lost the turn once it has ended elsewhere', async () => {
    const { engine, clock, service } = world;
    const place = { endpoint: service.endpoint, apiKey: '', isTrusted: false };
    const elsewhere = new Typing({
      store: engine.store,
      clock,
      ids: engine.ids,
      service: new ConnectorService({ clock, fetch: () => fetch as ConnectorFetch }),
      registrations: { placeOf: async () => ({ state: 'open', place, version: '1', health: '' }) },
    });
    const said = await world.say('!hold gate');
    await expect.poll(phases).toEqual(['start']);
    elsewhere.begun({
      id: said.turnId,
      namespace: 'default',
      sessionId: said.sessionId,
      userMessageId: said.messageId,
    });
    await expect.poll(phases).toEqual(['start', 'start']);
    await stopped(said);
    const afterAWhile = (): readonly unknown[] => {
      clock.advance(5_000);
      return phases();
    };
    await expect.poll(afterAWhile).toEqual(['start', 'start', 'stop', 'stop']);
    await elsewhere.close();
  });

  it('shows nothing to a service that knows no activities, until its class is registered again', async () => {
    world.service.answers.push({ status: 404 });
    await stopped(await world.say('!hold gate'));
    await expect.poll(phases).toEqual(['start']);
    await stopped(await world.say('!hold gate', { message: 'b' }));
    expect(phases()).toEqual(['start']);
    world.place = {
      state: 'open',
      version: '2',
      health: '',
      place: { endpoint: world.service.endpoint, apiKey: '', isTrusted: false },
    };
    const said = await world.say('!hold gate', { message: 'c' });
    await expect.poll(phases).toEqual(['start', 'start']);
    await stopped(said);
    expect(phases()).toEqual(['start', 'start', 'stop']);
  });

  it('shows nothing where the class does not ask for it, or the reply is held', async () => {
    await world.connector('review');
    await stopped(await world.say('!hold gate'));
    await world.connector('auto');
    await world.connectorClass({});
    await stopped(await world.say('!hold gate', { message: 'b' }));
    expect(phases()).toEqual([]);
  });
});
