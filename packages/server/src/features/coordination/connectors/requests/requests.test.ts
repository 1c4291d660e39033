import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePermission } from '../../../../runtime/contract.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';

const ON = { 'option.svc/requests': 'deliver', 'option.svc/approvers': 'U1, U2' };
const CITY = { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Paris'] } }, required: ['city'] };

describe('a question of a turn', () => {
  let world: DeliveryWorld;
  beforeEach(async () => {
    world = new DeliveryWorld();
    await world.start();
  });
  afterEach(() => world.close());

  const asking = (input: object) => `!tool ask_user ${JSON.stringify(input)}\n!say thanks`;
  /** Waits until the turn waits, and sends what it asks. */
  const waiting = async <T extends { readonly turnId: string }>(said: T): Promise<T> => {
    const { store } = world.engine;
    await expect.poll(async () => (await store.direct.log.turn(said.turnId))?.state).toBe('WAITING');
    await world.deliver();
    return said;
  };
  /** A turn of the platform that asks, and waits. */
  const asked = async (input: object) => waiting(await world.say(asking(input), { thread: 't' }));
  const answer = (text: string, sender = 'U1', thread = 't') =>
    world.engine.store.write((tx) =>
      world.parts.answers.answerOf(tx, world.context({ message: 'x', sender, thread }), text),
    );
  const open = async (turnId: string): Promise<number> =>
    (await world.engine.store.read((tx) => tx.log.permissionsOfTurn(turnId))).filter((row) => row.open).length;

  it('is asked in the conversation, and answered there by those who may', async () => {
    await world.connector('review', ON);
    const { turnId, sessionId } = await asked({ question: 'Which city?', schema: CITY });
    expect(world.service.deliveries).toMatchObject([
      {
        text: 'Which city?\n\n1. Rome\n2. Paris\n\nAnswer with a number, or with "decline".',
        externalThreadId: 't',
        labels: { 'svc.requestOptions': '["Rome","Paris"]' },
      },
    ]);
    expect(await answer('2', 'U9')).toBeUndefined();
    expect(await answer('2', 'U1', 'elsewhere')).toBeUndefined();
    expect(await answer('Berlin')).toBeUndefined();
    expect(await open(turnId)).toBe(1);
    expect(await answer('2', 'U2')).toMatchObject({ namespace: 'default', agent: 'helper', sessionId, turnId });
    await world.engine.ended(turnId);
    const [row] = await world.engine.store.read((tx) => tx.log.permissionsOfTurn(turnId));
    expect(row === undefined ? undefined : parsePermission(row)).toMatchObject({
      decision: 'ALLOW',
      decidedBy: 'connector:default/help/U2',
      answer: { city: 'Paris' },
    });
    const audited = await world.engine.store.read((tx) => tx.audit.list({ limit: 10 }));
    expect(audited.map(({ identity, operation, target, outcome }) => [identity, operation, target, outcome])).toEqual([
      ['connector:default/help/U2', 'connectors/answer-request', `Session/default/helper/${sessionId}`, 'ok'],
    ]);
    expect(await answer('1')).toBeUndefined();
  });

  it('is not answered through another connector of the class that has a conversation of the same id', async () => {
    await world.connector('auto', { ...ON, 'option.svc/approvers': 'U2' });
    await world.connector('auto', ON, 'other');
    const { turnId } = await asked({ question: 'Why?' });
    const there = { connectorUid: 'uid-other', connectorName: 'other' };
    const context = { ...world.context({ message: 'x', thread: 't' }), ...there };
    const { answers } = world.parts;
    expect(await world.engine.store.write((tx) => answers.answerOf(tx, context, 'because'))).toBeUndefined();
    expect(await open(turnId)).toBe(1);
    expect(await answer('because', 'U2')).toMatchObject({ turnId });
    await world.engine.ended(turnId);
  });

  it('is answered by a press of a button in its own message, whatever was asked since', async () => {
    await world.connector('auto', ON);
    await world.connector('auto', ON, 'other');
    const first = await asked({ question: 'Which city?', schema: CITY });
    const second = await asked({ question: 'And now?', schema: CITY });
    const [id = ''] = (await world.rows()).map(({ id: delivery }) => delivery);
    const press = (text: string, more: object = {}, delivery = id) => {
      const context = { ...world.context({ message: '' }), eventLabels: { 'svc.delivery': delivery }, ...more };
      return world.engine.store.write((tx) => world.parts.answers.answerOf(tx, context, text));
    };
    const stranger = { sender: { kind: 'user', externalId: 'U9', name: 'Eve' } };
    expect(await press('2', stranger)).toEqual({ unanswered: 'not_an_approver' });
    expect(await press('3')).toEqual({ unanswered: 'no_answer' });
    const elsewhere = [{ connectorUid: 'uid-other', connectorName: 'other' }, { conversationId: 'C2' }];
    for (const place of elsewhere) expect(await press('2', place)).toEqual({ unanswered: 'no_open_request' });
    for (const unknown of ['', 'x', '0197e000-0000-7000-8000-000000000009'])
      expect(await press('2', {}, unknown)).toEqual({ unanswered: 'no_open_request' });
    expect([await open(first.turnId), await open(second.turnId)]).toEqual([1, 1]);
    expect(await press('2')).toMatchObject({ turnId: first.turnId });
    expect(await press('1')).toEqual({ unanswered: 'no_open_request' });
    await world.engine.ended(first.turnId);
    expect(await open(second.turnId)).toBe(1);
    expect(await answer('1')).toMatchObject({ turnId: second.turnId });
    await world.engine.ended(second.turnId);
  });

  it('is answered by nobody where the connector no longer delivers requests, and never by a sender without an id', async () => {
    await world.connector('auto', { ...ON, 'option.svc/approvers': 'U1, ' });
    const { turnId } = await asked({ question: 'Why?' });
    const [id] = (await world.rows()).map(({ id: delivery }) => delivery);
    const press = (externalId: string) => {
      const sender = { kind: 'user', externalId, name: 'Ann' };
      const context = { ...world.context({ message: '' }), eventLabels: { 'svc.delivery': id ?? '' }, sender };
      return world.engine.store.write((tx) => world.parts.answers.answerOf(tx, context, 'because'));
    };
    expect([await answer('because', ''), await press('')]).toEqual([undefined, { unanswered: 'not_an_approver' }]);
    await world.connector('auto', { 'option.svc/approvers': 'U1' });
    expect([await answer('because'), await press('U1')]).toEqual([undefined, { unanswered: 'not_an_approver' }]);
    expect(await open(turnId)).toBe(1);
    await world.connector('auto', ON);
    expect(await press('U1')).toMatchObject({ turnId });
    await world.engine.ended(turnId);
  });

  it('takes a text, or JSON that fits, or none', async () => {
    await world.connector('auto', ON);
    const free = await asked({ question: 'Why?' });
    expect(await answer('because')).toMatchObject({ turnId: free.turnId });
    await world.engine.ended(free.turnId);
    const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a'] };
    const form = await asked({ question: 'Numbers?', schema });
    expect(await answer('{"b":1}')).toBeUndefined();
    expect(await answer('{"a":1}')).toMatchObject({ turnId: form.turnId });
    await world.engine.ended(form.turnId);
    const declined = await asked({ question: 'Still?' });
    expect(await answer('Decline')).toMatchObject({ turnId: declined.turnId });
    await world.engine.ended(declined.turnId);
  });

  it('of a session in a channel is asked in the conversation of the message that began it', async () => {
    await world.connector('thread', ON);
    const { turnId, sessionId } = await waiting(
      await world.post(asking({ question: 'Why?' }), { message: 'm7', sender: 'U9' }),
    );
    expect(world.service.deliveries).toMatchObject([
      {
        text: 'Why?\n\nAnswer with a message, or with "decline".',
        externalThreadId: 'm7',
        replyToExternalMessageId: 'm7',
        labels: { 'svc.replySource': 'channel', 'svc.channel': 'room', 'svc.session': sessionId },
      },
    ]);
    expect(await answer('because', 'U9', 'm7')).toBeUndefined();
    expect(await answer('because', 'U1', 'm7')).toMatchObject({ agent: 'helper', sessionId, turnId });
    await world.engine.ended(turnId);
  });

  it('of a session that the message of an agent began in a channel stays in the inbox', async () => {
    await world.connector('auto', ON);
    const { turnId } = await waiting(await world.post(asking({ question: 'Why?' }), 'agent'));
    expect(await world.rows()).toEqual([]);
    expect(await open(turnId)).toBe(1);
  });

  it('of a session in a channel is shown to followers of the channel when it does not arrive', async () => {
    await world.connector('auto', ON);
    world.service.answers.push({ status: 404, body: { error: 'gone' } });
    await waiting(await world.post(asking({ question: 'Why?' })));
    expect(await world.states()).toEqual(['rejected HTTP_404: gone']);
    expect(world.undelivered).toEqual(['helper DELIVERY_FAILED: HTTP_404: gone']);
  });

  it('stays in the inbox where the connector does not deliver it', async () => {
    await world.connector('auto', { 'option.svc/approvers': 'U1' });
    const { turnId } = await asked({ question: 'Why?' });
    expect(await world.rows()).toEqual([]);
    expect(await answer('because')).toBeUndefined();
    expect(await open(turnId)).toBe(1);
  });

  it('is not asked any more once it is answered elsewhere', async () => {
    await world.connector('auto', ON);
    world.place = { state: 'waiting', reason: 'no registration' };
    const { sessionId, turnId } = await asked({ question: 'Why?' });
    expect(await world.states()).toEqual(['pending no registration']);
    await world.engine.store.write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session !== undefined) await world.engine.runtime.lifecycle.stop(tx, session, turnId);
    });
    world.place = undefined;
    await world.later(60_000);
    expect(await world.states()).toEqual(['skipped']);
    expect(world.service.seen).toEqual([]);
  });
});
