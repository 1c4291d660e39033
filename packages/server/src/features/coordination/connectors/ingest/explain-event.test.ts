import { ConnectorMessageEventStatus as Status } from '@svc/api/external';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IngestWorld } from '../testing/ingest-world.ts';

const world = new IngestWorld();

beforeAll(async () => {
  await world.start();
  await world.connect('one', { session: { agent: { name: 'helper' }, continuity: 'reuse' } });
  await world.connect('flows', { workflow: { name: 'flow' } });
});
afterAll(() => world.close());

describe('an explained event', () => {
  it('says more of nothing than the caller may read', async () => {
    const { session } = (await world.send({ eventId: 'e1', matchFields: { team: 'one' } })).consumer ?? {};
    expect(await world.explain('one', {})).toMatchObject({
      status: Status.ACCEPTED,
      connector: 'one',
      session: 'existing',
      consumer: { session: { sessionId: session?.sessionId } },
    });
    const hidden = await world.explain('one', {}, []);
    expect(hidden).toMatchObject({
      status: Status.UNSPECIFIED,
      reason: 'other_namespace',
      ns: '',
      connector: '',
      session: '',
      routes: [],
    });
    expect(hidden.consumer).toBeUndefined();
  });

  it('leaves no row behind, under the id of a real event too', async () => {
    const before = await world.counts();
    const answer = await world.explain('flows', { eventId: 'e1', matchFields: { team: 'flows' } });
    expect(answer).toMatchObject({ status: Status.ACCEPTED, consumer: { workflow: { name: 'flow' } }, session: '' });
    expect(await world.counts()).toEqual(before);
  });

  it('of a program counts the messages that were really sent, and not itself', async () => {
    const bot = { matchFields: { team: 'one' }, externalConversationId: 'bots', sender: { kind: 'bot' } };
    expect(await world.explain('one', bot)).toMatchObject({ reason: 'accepted' });
    await world.send({ ...bot, eventId: 'b1' });
    await world.send({ ...bot, eventId: 'b2' });
    expect(await world.explain('one', bot)).toMatchObject({ status: Status.IGNORED, reason: 'loop_guard' });
  });
});
