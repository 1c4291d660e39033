import { create, type Message } from '@bufbuild/protobuf';
import {
  PermissionDecision,
  SessionMessagePartSchema,
  SessionMessagePartType,
  SessionMessageSchema,
} from '@svc/api/data';
import {
  AnswerPermissionResponseSchema,
  ClearSessionResponseSchema,
  DeleteSessionResponseSchema,
  ListSessionMessagesResponseItemSchema,
  ListSessionMessagesResponseSchema,
  ListTurnsResponseSchema,
  SessionResponseSchema,
  StopSessionGenerationResponseSchema,
} from '@svc/api/gateway';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../client.ts';
import { EagerClock } from '../testing/fake-clock.ts';
import { type FakeHandlers, FakeServer } from '../testing/fake-server.ts';
import { key, replay, turnEvents } from '../testing/fake-session.ts';
import { textOf } from './reply-view.ts';

let server: FakeServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const sessionOf = async (handlers: FakeHandlers) => {
  server = await new FakeServer(handlers).start();
  return createClient({ baseUrl: server.url, clock: new EagerClock() }).session(key);
};

it('names its session in every call and passes on what the call says', async () => {
  const seen: [string, Message][] = [];
  const note =
    (name: string, answer: () => Message) =>
    (request: Message): Message => {
      seen.push([name, request]);
      return answer();
    };
  const session = await sessionOf({
    unary: {
      StopSessionGeneration: note('stop', () =>
        create(StopSessionGenerationResponseSchema, { stoppedTurnIds: ['t1'] }),
      ),
      ClearSession: note('clear', () => create(ClearSessionResponseSchema)),
      GetSession: note('get', () => create(SessionResponseSchema, { state: 'IDLE' })),
      ListSessionMessages: note('messages', () => create(ListSessionMessagesResponseSchema)),
      DeleteSession: note('delete', () => create(DeleteSessionResponseSchema)),
      ForkSession: note('fork', () => create(SessionResponseSchema, { sessionId: 's2' })),
      AnswerPermission: note('answer', () => create(AnswerPermissionResponseSchema, { request: { id: 'p1' } })),
      ListTurns: note('turns', () => create(ListTurnsResponseSchema, { turns: [{ id: 't1' }] })),
    },
  });
  expect(await session.stop()).toEqual(['t1']);
  await session.clear({ stop: true });
  expect((await session.get(-1)).state).toBe('IDLE');
  await session.messages({ pageSize: 5, beforeMessageId: 'm9' });
  await session.delete();
  expect((await session.fork('m1', { overrides: { temperature: 0 } })).id).toBe('s2');
  expect((await session.answerPermission('p1', { allow: false, optionId: 'o', comment: 'no' }))?.id).toBe('p1');
  expect((await session.turns()).turns).toHaveLength(1);
  for (const [, request] of seen) expect(request).toMatchObject(key);
  const byName = Object.fromEntries(seen);
  expect(byName['clear']).toMatchObject({ stop: true });
  expect(byName['get']).toMatchObject({ messageLimit: -1 });
  expect(byName['messages']).toMatchObject({ pageSize: 5, beforeMessageId: 'm9' });
  expect(byName['fork']).toMatchObject({ throughMessageId: 'm1', overrides: { temperature: 0 } });
  expect(byName['answer']).toMatchObject({
    requestId: 'p1',
    decision: PermissionDecision.DENY,
    optionId: 'o',
    comment: 'no',
  });
});

it('watches until the end of a turn: at once when none runs or waits to run', async () => {
  const session = await sessionOf({
    unary: {
      ListSessionMessages: () => create(ListSessionMessagesResponseSchema, { state: 'IDLE', streamCursor: 'c9' }),
    },
  });
  const views = [];
  for await (const view of session.watch({ untilDone: true })) views.push(view.messages);
  expect(views).toEqual([[]]);
});

it('watches: stored messages first, then the live one, through cuts and an expired cursor', async () => {
  const stored = create(SessionMessageSchema, {
    id: 'm0',
    parts: [create(SessionMessagePartSchema, { partType: SessionMessagePartType.TEXT, content: 'before' })],
  });
  const cursors = ['gone', 'c0'];
  const events = turnEvents(4);
  const session = await sessionOf({
    unary: {
      ListSessionMessages: () =>
        create(ListSessionMessagesResponseSchema, {
          streamCursor: cursors.shift() ?? 'c0',
          items: [create(ListSessionMessagesResponseItemSchema, { message: stored })],
        }),
    },
    streams: {
      StreamSessionParts: (call) => {
        const after = call.query.get('after');
        if (after === 'c0') call.query.set('after', '');
        return replay(events, call, (sent) => (sent === 2 ? 'cut' : undefined));
      },
    },
  });
  const texts: string[] = [];
  for await (const view of session.watch({ untilDone: true }))
    texts.push(view.messages.map((message) => textOf(message)).join('|'));
  expect(texts).toEqual([
    'before',
    'before|w1 ',
    'before|w1 w2 ',
    'before|w1 w2 w3 ',
    'before|w1 w2 w3 w4 ',
    'before|w1 w2 w3 w4 ',
  ]);
});

it('watches until the end of a turn whose last events are lost: shows what is stored, then ends', async () => {
  const states = ['PROCESSING', 'IDLE'];
  const contents = ['half', 'whole'];
  const session = await sessionOf({
    unary: {
      ListSessionMessages: () => {
        const parts = [{ partType: SessionMessagePartType.TEXT, content: contents.shift() ?? '' }];
        const message = create(SessionMessageSchema, { id: 'm0', parts });
        return create(ListSessionMessagesResponseSchema, {
          state: states.shift() ?? 'IDLE',
          streamCursor: 'gone',
          items: [{ message }],
        });
      },
    },
    streams: { StreamSessionParts: (call) => replay(turnEvents(1), call, () => undefined) },
  });
  const texts: string[] = [];
  for await (const view of session.watch({ untilDone: true }))
    texts.push(view.messages.map((message) => textOf(message)).join('|'));
  expect(texts).toEqual(['half', 'whole']);
});
