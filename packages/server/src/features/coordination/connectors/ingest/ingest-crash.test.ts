import { ConnectorMessageEventStatus as Status } from '@svc/api/external';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Death, dyingStore } from '../../../testing/dying-store.ts';
import { connectorTrim } from '../connector-remains.ts';
import { contextOf, newestContext, sessionSubject } from '../context/index.ts';
import { IngestWorld } from '../testing/ingest-world.ts';

let world: IngestWorld;
beforeEach(async () => {
  world = new IngestWorld();
  await world.start();
  await world.connect('t', { session: { agent: { name: 'helper' }, continuity: 'reuse' } });
});
afterEach(() => world.close());

const event = { eventId: 'e1', matchFields: { team: 't' } };

describe('a process that dies', () => {
  it.each(['before', 'after'] as const)(
    '%s the write that accepts an event leaves it whole or not at all',
    async (death: Death) => {
      await expect(world.send(event, dyingStore(world.engine.store, 1, death))).rejects.toThrow('killed');
      const left = death === 'before' ? 0 : 1;
      expect(await world.counts()).toEqual({ sessions: left, messages: left, contexts: left, events: left });
      const { status } = await world.send(event);
      expect(status).toBe(death === 'before' ? Status.ACCEPTED : Status.DUPLICATE);
      expect(await world.counts()).toEqual({ sessions: 1, messages: 1, contexts: 1, events: 1 });
    },
  );
});

it('copies of an event on several processes at once are accepted once', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.send(event)));
  expect(answers.filter(({ status }) => status === Status.ACCEPTED)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === Status.DUPLICATE)).toHaveLength(49);
  expect(await world.counts()).toEqual({ sessions: 1, messages: 1, contexts: 1, events: 1 });
});

it('where a message came from is kept with it, until its session is deleted', async () => {
  const { consumer } = await world.send({ ...event, externalThreadId: 'th', externalMessageId: 'm1' });
  const sessionId = consumer?.session?.sessionId ?? '';
  const [message] = await world.engine.messages(sessionId);
  const { store, runtime } = world.engine;
  const subject = sessionSubject(sessionId, message?.id ?? '');
  const context = await contextOf(store.direct, 'default', subject);
  expect(context).toMatchObject({ conversationId: 'c', threadId: 'th', messageId: 'm1', replyMode: 'auto' });
  expect(await newestContext(store.direct, sessionId)).toEqual(context);
  await store.write(async (tx) => {
    const session = await tx.log.lockSession(sessionId);
    if (session !== undefined) await runtime.lifecycle.remove(tx, session);
  });
  expect(await contextOf(store.direct, 'default', subject)).toBeUndefined();
});

it('programs are limited in each conversation by the minute', async () => {
  const bot = (eventId: string, conversation = 'c') =>
    world.send({ ...event, eventId, externalConversationId: conversation, sender: { kind: 'bot' } });
  const reasons = [await bot('a'), await bot('b'), await bot('c'), await bot('d', 'other')].map(({ reason }) => reason);
  expect(reasons).toEqual(['accepted', 'accepted', 'loop_guard', 'accepted']);
  world.clock.advance(60_000);
  expect((await bot('c')).reason).toBe('accepted');
});

it('ids of events and pointers are forgotten once they are old', async () => {
  const trim = connectorTrim({ store: world.engine.store, pointersMs: 600_000 });
  const first = await world.send(event);
  world.clock.advance(61_000);
  await trim.tick();
  const second = await world.send(event);
  expect(second.reason).toBe('accepted');
  expect(second.consumer?.session?.sessionId).toBe(first.consumer?.session?.sessionId);
  world.clock.advance(700_000);
  await trim.tick();
  expect((await world.counts()).contexts).toBe(0);
  const third = await world.send(event);
  expect(third.consumer?.session?.sessionId).not.toBe(first.consumer?.session?.sessionId);
});

it('a workflow gets the connector, the message and the event as its input', async () => {
  await world.connect('flow', { workflow: { name: 'flow', replyMode: 'review' } });
  const sender = { externalId: 'u1', displayName: 'Ada', kind: 'user' };
  const answer = await world.send({
    eventId: 'e2',
    matchFields: { team: 'flow' },
    conversationType: 'group',
    externalMessageId: 'm1',
    eventTimeMs: 5n,
    sender,
    labels: { a: 'b' },
  });
  expect([answer.runId, answer.consumer?.workflow?.namespace]).toEqual(['run-1', 'default']);
  expect(world.runs).toMatchObject([
    {
      namespace: 'default',
      workflow: 'flow',
      identity: 'connector:default/flow/u1',
      labels: { 'svc/connector-reply-mode': 'hold_for_review' },
      input: {
        connector: {
          namespace: 'default',
          name: 'flow',
          class: 'chat',
          registrationId: 'Namespace/default/ConnectorClass/chat',
          matchFields: { team: 'flow' },
        },
        message: {
          text: 'hello',
          attachments: [],
          sender,
          externalConversationId: 'c',
          externalThreadId: null,
          externalMessageId: 'm1',
          conversationType: 'group',
          eventTimeMs: 5,
        },
        event: { id: 'e2', kind: 'CREATED', labels: { a: 'b' } },
      },
    },
  ]);
});
