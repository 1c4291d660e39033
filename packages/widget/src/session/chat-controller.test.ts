import { SvcError } from '@svc/client/plain';
import { afterEach, expect, it } from 'vitest';
import type { WireEvent, WireMessage } from '../model/wire.ts';
import { FakeSession } from '../testing/fake-session.ts';
import { ChatController } from './chat-controller.ts';
import type { ChatState } from './chat-state.ts';

const busy = new SvcError({ code: 'RESOURCE_EXHAUSTED', reason: 'QUEUE_FULL', message: 'full' });
const gone = new SvcError({ code: 'NOT_FOUND', reason: 'SESSION_NOT_FOUND', message: 'gone' });

let open: ChatController[] = [];
afterEach(() => {
  for (const controller of open) controller.close();
  open = [];
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const opened = async (session: FakeSession) => {
  const states: ChatState[] = [];
  let unique = 0;
  const controller = new ChatController({
    calls: session.calls,
    environment: {
      random: () => 0,
      clock: { nowMs: () => 0, after: () => () => undefined },
      uniqueText: () => `${++unique}`,
    },
    renewAccess: () => false,
    dataUrl: async (file) => `data:${file.type},${await file.text()}`,
    objectUrl: (bytes, mediaType) => `blob:${mediaType}/${bytes.byteLength}`,
    onChange: (state) => states.push(state),
  });
  open.push(controller);
  void controller.open();
  await settled();
  return { controller, states };
};

const stored = (id: string, role: string, text: string): WireMessage => ({
  id,
  role: `ROLE_${role}`,
  parts: [{ id: '000000', partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: text }],
});
const event = (kind: string, turnId: string, more: Partial<WireEvent> = {}): WireEvent => ({
  kind: `SESSION_MESSAGE_PART_EVENT_KIND_${kind}`,
  turnId,
  messageId: `z-${turnId}`,
  ...more,
});
const piece = (turnId: string, content: string): WireEvent =>
  event('DELTA', turnId, { part: { id: '0', partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content } });
const texts = ({ conversation }: ChatState): readonly string[] =>
  conversation.messages.map(({ id, parts }) => `${id}:${parts.map(({ text }) => text).join('')}`);

it('shows what there is and what comes', async () => {
  const session = new FakeSession();
  session.messages = [stored('a', 'USER', 'hi')];
  session.activeTurnId = 't0';
  const { controller, states } = await opened(session);
  expect(states[0]?.phase).toBe('loading');
  expect([controller.state.phase, texts(controller.state), controller.state.conversation.openTurns]).toEqual([
    'ready',
    ['a:hi'],
    ['t0'],
  ]);
  await session.emit(piece('t0', 'hel'));
  await session.emit(piece('t0', 'lo'));
  expect(texts(controller.state)).toEqual(['a:hi', 'z-t0:hello']);
  await session.emit(event('DONE', 't0'));
  expect(controller.state.conversation.openTurns).toEqual([]);
  // The turn was there when the conversation was loaded: nothing more to ask for.
  expect(session.asked).toEqual([['load', 50]]);
});

it('says why a conversation cannot be shown', async () => {
  const session = new FakeSession();
  session.failures.set('load', gone);
  const { controller } = await opened(session);
  expect(controller.state).toMatchObject({ phase: 'failed', problem: { kind: 'gone', message: 'gone' } });
});

it('sends a message with its files, and knows its turn even if that is over before the answer is there', async () => {
  const session = new FakeSession();
  const { controller } = await opened(session);
  const file = new File(['abc'], 'a.txt', { type: 'text/plain' });
  const reply = Promise.withResolvers<{ messageId: string; turnId: string }>();
  session.onSend = () => reply.promise;
  const sending = controller.send('hi', [{ id: 'f', file, preview: '' }]);
  await settled();
  expect(texts(controller.state)).toEqual(['outgoing-1:hi']);
  await session.emit(piece('t1', 'yes'));
  await session.emit(event('DONE', 't1'));
  reply.resolve({ messageId: 'u1', turnId: 't1' });
  await sending;
  expect(texts(controller.state)).toEqual(['u1:hi', 'z-t1:yes']);
  expect(controller.state.conversation.openTurns).toEqual([]);
  expect(session.asked.slice(1)).toEqual([
    ['send', 'hi', [{ partType: 'FILE', name: 'a.txt', url: 'data:text/plain,abc' }], 'outgoing-1'],
  ]);
});

it('keeps a message that was refused, sends it again under the same key, or gives it up', async () => {
  const session = new FakeSession();
  const { controller } = await opened(session);
  session.failures.set('send', busy);
  await controller.send('hi', []);
  expect(controller.state.conversation.messages[0]?.outgoing).toMatchObject({
    state: 'failed',
    problem: { kind: 'busy' },
  });
  await controller.sendAgain('outgoing-1');
  expect(texts(controller.state)).toEqual(['u1:hi']);
  expect(session.asked.slice(1).map((call) => (call as unknown[]).at(-1))).toEqual(['outgoing-1', 'outgoing-1']);
  session.failures.set('send', busy);
  await controller.send('no', []);
  controller.discard('outgoing-2');
  expect(texts(controller.state)).toEqual(['u1:hi']);
  await controller.sendAgain('outgoing-2');
  expect(session.asked.length).toBe(4);
});

it('asks once for what began a turn elsewhere', async () => {
  const session = new FakeSession();
  const { controller } = await opened(session);
  session.messages = [stored('b', 'USER', 'from elsewhere'), stored('c', 'ASSISTANT', 'ahead')];
  await session.emit(piece('t9', 'an'));
  await session.emit(piece('t9', 'swer'));
  expect(texts(controller.state)).toEqual(['b:from elsewhere', 'z-t9:answer']);
  expect(session.asked).toEqual([
    ['load', 50],
    ['messages', 10, ''],
  ]);
});

it('loads older messages, once at a time', async () => {
  const session = new FakeSession();
  session.messages = Array.from({ length: 60 }, (_, index) =>
    stored(`m${String(index).padStart(2, '0')}`, 'USER', 'x'),
  );
  const { controller } = await opened(session);
  expect([controller.state.hasEarlier, controller.state.conversation.messages.length]).toEqual([true, 50]);
  await Promise.all([controller.loadEarlier(), controller.loadEarlier()]);
  expect([
    controller.state.hasEarlier,
    controller.state.isLoadingEarlier,
    controller.state.conversation.messages.length,
  ]).toEqual([false, false, 60]);
  expect(session.asked.slice(1)).toEqual([['messages', 50, 'm10']]);
});

it('has an answer written again in place of the one that is there', async () => {
  const session = new FakeSession();
  session.messages = [stored('a', 'USER', 'why'), stored('b', 'ASSISTANT', 'because')];
  const { controller } = await opened(session);
  session.messages = [stored('c', 'USER', 'why')];
  await controller.answerAgain('b');
  expect(texts(controller.state)).toEqual(['c:why']);
  session.failures.set('answerAgain', busy);
  await controller.answerAgain('c');
  expect(controller.state.notice?.kind).toBe('busy');
  await controller.stop();
  expect([controller.state.notice, session.asked.at(-1)]).toEqual([undefined, ['stop']]);
});

it('answers requests, and says why an answer was refused', async () => {
  const session = new FakeSession();
  const { controller } = await opened(session);
  const answering = controller.answer('r', { allow: true, data: 1 });
  expect(controller.state.answers.get('r')).toEqual({ state: 'sending' });
  await answering;
  session.failures.set('answer', busy);
  await controller.answer('r', { allow: false });
  expect(controller.state.answers.get('r')).toMatchObject({ state: 'refused', problem: { message: 'full' } });
});

it('fetches bytes once, and says when they cannot be had', async () => {
  const session = new FakeSession();
  const { controller } = await opened(session);
  const part = { id: 'p', mediaType: 'image/png' };
  expect(await controller.fetchMedia('m', part)).toBe('blob:image/png/3');
  expect(await controller.fetchMedia('m', part)).toBe('blob:image/png/3');
  session.failures.set('content', gone);
  expect(await controller.fetchMedia('n', part)).toBe('');
  expect([controller.state.media.get('n/p'), controller.state.notice?.kind]).toEqual([{ state: 'failed' }, 'gone']);
  expect(session.asked.filter((call) => (call as unknown[])[0] === 'content').length).toBe(2);
});
