import { create } from '@bufbuild/protobuf';
import { MessageRole, SessionMessagePartSchema, SessionMessagePartType, SessionMessageSchema } from '@svc/api/data';
import { SessionMessagePartEventKind as Kind } from '@svc/api/events';
import { expect, it } from 'vitest';
import { event } from '../testing/fake-session.ts';
import { emptyView, foldEvent, type ReplyView, textOf, viewOfMessages } from './reply-view.ts';

const fold = (events: readonly ReturnType<typeof event>[], from: ReplyView = emptyView): ReplyView =>
  events.reduce(foldEvent, from);
const shown = (view: ReplyView): string[] => view.messages.map((message) => `${message.id}: ${textOf(message)}`);

it('joins the pieces of one part and keeps parts of other kinds apart', () => {
  const view = fold([
    event(1, { type: SessionMessagePartType.REASONING, text: 'th', partId: '000000' }),
    event(2, { type: SessionMessagePartType.REASONING, text: 'ink', partId: '000000' }),
    event(3, { text: 'he', partId: '000001' }),
    event(4, { text: 'llo', partId: '000001' }),
    event(5, { type: SessionMessagePartType.TOOL_CALL, text: '', partId: '000002' }),
    event(6, { text: '!', partId: '000003' }),
  ]);
  expect(view.messages[0]?.parts.map((part) => part.content)).toEqual(['think', 'hello', '', '!']);
  expect(shown(view)).toEqual(['m1: hello!']);
});

it('discards everything shown of the message of a RESET and nothing else', () => {
  const before = fold([event(1, { text: 'kept', messageId: 'm1' }), event(2, { text: 'lost', messageId: 'm2' })]);
  const after = fold(
    [event(3, { kind: Kind.RESET, messageId: 'm2' }), event(4, { text: 'again', messageId: 'm2' })],
    before,
  );
  expect(shown(after)).toEqual(['m1: kept', 'm2: again']);
  expect(shown(before)).toEqual(['m1: kept', 'm2: lost']);
});

it('finishes the messages of a turn at its DONE, ignoring the content of DONE', () => {
  const view = fold([
    event(1, { text: 'a', messageId: 'm1' }),
    event(2, { text: 'b', messageId: 'm2' }),
    event(3, { text: 'c', messageId: 'm3', turnId: 't2' }),
    event(4, { kind: Kind.DONE, reason: 'completed', text: 'x' }),
  ]);
  expect(view.messages.map((message) => message.isFinished)).toEqual([true, true, false]);
  expect(view.lastEnd).toEqual({ turnId: 't1', kind: 'done', reason: 'completed', error: '' });
});

it('shows the ERROR part as the last of its message', () => {
  const view = fold([
    event(1, { text: 'a' }),
    event(2, { kind: Kind.ERROR, type: SessionMessagePartType.ERROR, text: 'Error: no key.', reason: 'provider_auth' }),
  ]);
  expect(view.lastEnd).toMatchObject({ kind: 'error', reason: 'provider_auth', error: 'Error: no key.' });
  expect(view.messages[0]?.parts).toHaveLength(2);
});

it('begins with stored messages and leaves unknown events aside', () => {
  const parts = [create(SessionMessagePartSchema, { partType: SessionMessagePartType.TEXT, content: 'hi' })];
  const view = viewOfMessages([create(SessionMessageSchema, { id: 'm0', role: MessageRole.ROLE_USER, parts })]);
  expect(view.messages[0]).toMatchObject({ role: 'user', isFinished: true });
  expect(foldEvent(view, event(1, { kind: Kind.UNSPECIFIED }))).toBe(view);
});
