import { create } from '@bufbuild/protobuf';
import { SessionMessagePartType, SessionMessageSchema } from '@svc/api/data';
import {
  SessionMessagePartEventKind as Kind,
  type SessionMessagePartEvent,
  SessionMessagePartEventSchema,
} from '@svc/api/events';
import { ListSessionMessagesResponseSchema } from '@svc/api/gateway';
import type { Session } from '@svc/client';
import { expect, it } from 'vitest';
import { Conversation } from './conversation.ts';

const page = (ids: readonly string[], hasMore = false) =>
  create(ListSessionMessagesResponseSchema, {
    items: ids.map((id) => ({ message: create(SessionMessageSchema, { id }) })),
    hasMore,
    streamCursor: `after ${ids.at(-1)}`,
  });

const delta = (messageId: string, content: string): SessionMessagePartEvent =>
  create(SessionMessagePartEventSchema, {
    kind: Kind.DELTA,
    messageId,
    turnId: 't1',
    part: { id: '000000', partType: SessionMessagePartType.TEXT, content },
  });

const done = create(SessionMessagePartEventSchema, { kind: Kind.DONE, turnId: 't1' });

/** A session whose pages and events the test hands out. */
class FakeSession implements Pick<Session, 'messages' | 'stream'> {
  readonly asked: unknown[] = [];
  readonly #pages: ReturnType<typeof page>[];
  readonly #events: readonly SessionMessagePartEvent[];
  after: string | undefined;

  constructor(pages: readonly ReturnType<typeof page>[], events: readonly SessionMessagePartEvent[] = []) {
    this.#pages = Array.from(pages);
    this.#events = events;
  }

  readonly messages: Session['messages'] = async (asked) => {
    this.asked.push(asked);
    const next = this.#pages.shift();
    if (next === undefined) throw new Error('no page is left');
    return next;
  };

  add(next: ReturnType<typeof page>): void {
    this.#pages.push(next);
  }

  stream(options: { readonly after?: string | undefined } = {}): AsyncIterable<SessionMessagePartEvent> {
    this.after = options.after;
    const events = this.#events;
    return (async function* () {
      yield* events;
    })();
  }
}

/** All answers are at hand: what is under way ends within one turn of the event loop. */
const everything = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const followed = async (session: FakeSession) => {
  const conversation = new Conversation({ session, soon: (run) => run() });
  conversation.start();
  await everything();
  return conversation;
};

const ids = (conversation: Conversation): string[] => conversation.view.stored.map(({ id }) => id);

it('follows the stream from the messages that it has', async () => {
  const session = new FakeSession([page(['m1', 'm2'])], [delta('m3', 'he'), delta('m3', 'llo')]);
  const conversation = await followed(session);
  expect(session.after).toBe('after m2');
  expect(ids(conversation)).toEqual(['m1', 'm2']);
  expect(conversation.view.live.map(({ id, parts }) => [id, parts[0]?.content])).toEqual([['m3', 'hello']]);
});

it('takes the stored message in place of the one that grew, once the turn has ended', async () => {
  const session = new FakeSession([page(['m1']), page(['m1', 'm2', 'm3'])], [delta('m3', 'hello'), done]);
  const conversation = await followed(session);
  expect(ids(conversation)).toEqual(['m1', 'm2', 'm3']);
  expect(conversation.view.live).toEqual([]);
});

it('reads few messages first, and a whole page once it has some', async () => {
  const session = new FakeSession([page(['m3', 'm4'], true), page(['m2', 'm3', 'm4'], true), page(['m2', 'm3', 'm4'])]);
  const conversation = await followed(session);
  await conversation.refresh();
  expect(ids(conversation)).toEqual(['m2', 'm3', 'm4']);
  conversation.start();
  await everything();
  expect(session.asked).toEqual([{ pageSize: 50 }, { pageSize: 200 }, { pageSize: 200 }]);
});

it('loads older messages before the oldest that it has', async () => {
  const session = new FakeSession([page(['m3', 'm4'], true), page(['m1', 'm2'])]);
  const conversation = await followed(session);
  await conversation.loadOlder();
  expect(session.asked[1]).toEqual({ pageSize: 200, beforeMessageId: 'm3' });
  expect(ids(conversation)).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(conversation.view.hasOlder).toBe(false);
  await conversation.loadOlder();
  expect(session.asked).toHaveLength(2);
});

it('asks the server for the message before another, whatever is loaded', async () => {
  const session = new FakeSession([page(['m3', 'm4'], true), page(['m2'], true), page([])]);
  const conversation = await followed(session);
  expect(await conversation.idBefore('m3')).toBe('m2');
  expect(session.asked[1]).toEqual({ pageSize: 1, beforeMessageId: 'm3' });
  expect(await conversation.idBefore('m1')).toBeUndefined();
});

it('keeps the newer of two reloads that are answered in the wrong order', async () => {
  const session = new FakeSession([page(['m1'])]);
  const conversation = await followed(session);
  const late = Promise.withResolvers<Awaited<ReturnType<typeof session.messages>>>();
  const { messages } = session;
  let asked = 0;
  Object.assign(session, {
    messages: (...parameters: Parameters<typeof messages>) => {
      asked += 1;
      return asked === 1 ? late.promise : messages(...parameters);
    },
  });
  const first = conversation.refresh();
  session.add(page(['m1', 'm2']));
  await conversation.refresh();
  late.resolve(page(['m1']) as never);
  await first;
  expect(ids(conversation)).toEqual(['m1', 'm2']);
});

it('keeps older pages at a reload that meets them, and drops them behind a gap', async () => {
  const session = new FakeSession([
    page(['m3', 'm4'], true),
    page(['m1', 'm2'], true),
    page(['m4', 'm5'], true),
    page(['m8', 'm9'], true),
  ]);
  const conversation = await followed(session);
  await conversation.loadOlder();
  await conversation.refresh();
  expect(ids(conversation)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  await conversation.refresh();
  expect(ids(conversation)).toEqual(['m8', 'm9']);
  expect(conversation.view.hasOlder).toBe(true);
});

it('shows nothing any more after the conversation was cleared', async () => {
  const conversation = await followed(new FakeSession([page(['m1', 'm2']), page([])]));
  await conversation.refresh();
  expect(ids(conversation)).toEqual([]);
});

it('says what went wrong', async () => {
  const conversation = await followed(new FakeSession([]));
  expect(conversation.view.error?.message).toBe('no page is left');
  expect(conversation.view.isLoaded).toBe(false);
});

it('begins once more after an error, and shows nothing after its stop', async () => {
  const session = new FakeSession([]);
  const conversation = await followed(session);
  session.add(page(['m1']));
  conversation.start();
  await everything();
  expect(conversation.view.error).toBeUndefined();
  expect(ids(conversation)).toEqual(['m1']);
  conversation.stop();
  await conversation.refresh();
  expect(conversation.view.error).toBeUndefined();
});
