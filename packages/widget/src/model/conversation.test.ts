import { expect, it } from 'vitest';
import {
  type Conversation,
  emptyConversation,
  withEvent,
  withOpenTurn,
  withOutgoing,
  withoutMessage,
  withPage,
  withSent,
  withStored,
  withUnsent,
} from './conversation.ts';
import type { WireEvent, WireMessage } from './wire.ts';

const PART = 'SESSION_MESSAGE_PART_TYPE_';
const KIND = 'SESSION_MESSAGE_PART_EVENT_KIND_';

const event = (kind: string, more: Partial<WireEvent> = {}): WireEvent => ({
  kind: KIND + kind,
  messageId: 'm2',
  turnId: 't1',
  ...more,
});
const piece = (text: string, type = 'TEXT', id = '000000'): WireEvent =>
  event('DELTA', { part: { id, partType: PART + type, content: text } });
const stored = (id: string, role: string, text: string): WireMessage => ({
  id,
  role: `ROLE_${role}`,
  parts: [{ id: '000000', partType: `${PART}TEXT`, content: text }],
});
const folded = (events: readonly WireEvent[], from: Conversation = emptyConversation): Conversation =>
  events.reduce(withEvent, from);
const texts = ({ messages }: Conversation): readonly string[] =>
  messages.map(({ id, parts }) => `${id}:${parts.map(({ text }) => text).join('|')}`);

it('joins the pieces of a part, keeps other parts whole, and closes the message with its turn', () => {
  const during = folded([piece('Hm', 'REASONING'), piece('He', 'TEXT', '000001'), piece('llo', 'TEXT', '000001')]);
  expect(during.messages).toMatchObject([
    {
      id: 'm2',
      role: 'assistant',
      isFinished: false,
      parts: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Hello' },
      ],
    },
  ]);
  expect(during.openTurns).toEqual(['t1']);
  const after = withEvent(during, event('DONE', { reason: 'limit' }));
  expect(after.messages).toMatchObject([{ isFinished: true, ending: 'limit' }]);
  expect(after.openTurns).toEqual([]);
});

it('forgets what was shown of a message that is sent again', () => {
  expect(texts(folded([piece('one'), event('RESET'), piece('two')]))).toEqual(['m2:two']);
});

it('shows why a turn failed behind what it had written', () => {
  const failed = folded([
    piece('half'),
    event('ERROR', { part: { partType: `${PART}ERROR`, content: 'no' }, reason: 'x' }),
  ]);
  expect(failed.messages[0]?.parts.map(({ type, text }) => [type, text])).toEqual([
    ['text', 'half'],
    ['error', 'no'],
  ]);
  expect([failed.openTurns, failed.messages[0]?.isFinished]).toEqual([[], true]);
});

it('ends the turn that ended and no other', () => {
  const two = folded([
    piece('a'),
    event('DELTA', { messageId: 'm4', turnId: 't2', part: { partType: `${PART}TEXT`, content: 'b' } }),
  ]);
  const one = withEvent(two, event('DONE'));
  expect(one.messages.map(({ isFinished }) => isFinished)).toEqual([true, false]);
  expect(one.openTurns).toEqual(['t2']);
});

it('leaves unchanged messages as they are, and ignores kinds that it does not know', () => {
  const before = withStored(emptyConversation, [stored('m0', 'USER', 'hi')]);
  const after = withEvent(before, piece('x'));
  expect(after.messages[0]).toBe(before.messages[0]);
  expect(withEvent(after, event('SOMETHING'))).toBe(after);
});

it('reads roles, states and bytes of stored messages', () => {
  const message: WireMessage = {
    id: 'm1',
    role: 'ROLE_ASSISTANT',
    labels: { 'svc/turn': 't1', 'svc/message-state': 'stopped' },
    parts: [
      {
        id: '1',
        partType: `${PART}FILE`,
        name: 'a.txt',
        object: { mediaType: 'text/plain', sizeBytes: '12', filename: '' },
      },
      { id: '2', partType: `${PART}TOOL_CALL`, name: 'look', payloadJson: '{"tool_call_id":"c"}' },
      { id: '3', partType: `${PART}TOOL_RESULT`, payloadJson: '7' },
    ],
  };
  const { messages } = withStored(emptyConversation, [message, stored('m2', 'SYSTEM', 'rules')]);
  expect(messages).toMatchObject([
    {
      turnId: 't1',
      ending: 'stopped',
      parts: [
        { file: { mediaType: 'text/plain', sizeBytes: 12, filename: 'a.txt' } },
        { payload: { tool_call_id: 'c' } },
        { payload: {} },
      ],
    },
    { role: 'system' },
  ]);
});

it('puts messages where their ids belong, and what is on its way last', () => {
  const sending = withOutgoing(withStored(emptyConversation, [stored('m5', 'USER', 'e')]), {
    id: 'out',
    text: 'new',
    attachments: [],
  });
  expect(texts(withStored(sending, [stored('m1', 'USER', 'a'), stored('m7', 'ASSISTANT', 'g')]))).toEqual([
    'm1:a',
    'm5:e',
    'out:new',
    'm7:g',
  ]);
});

it('gives a sent message its id, once, whatever came first', () => {
  const sending = withOutgoing(emptyConversation, { id: 'out', text: 'hi', attachments: [] });
  const sent = withSent(folded([piece('answer')], sending), 'out', { messageId: 'm1', turnId: 't1' });
  expect(texts(sent)).toEqual(['m1:hi', 'm2:answer']);
  expect(sent.messages[0]).toMatchObject({ outgoing: undefined, turnId: 't1', isFinished: true });
  const both = withSent(withStored(sending, [stored('m1', 'USER', 'hi')]), 'out', { messageId: 'm1', turnId: 't1' });
  expect(texts(both)).toEqual(['m1:hi']);
  expect(withSent(both, 'gone', { messageId: 'm9', turnId: '' })).toBe(both);
});

it('keeps a message that was not sent, with the reason, until it is sent again or given up', () => {
  const problem = { kind: 'busy', message: 'no', requestId: '', fields: new Map() } as const;
  const sending = withOutgoing(emptyConversation, { id: 'out', text: 'hi', attachments: [] });
  const failed = withUnsent(sending, 'out', problem);
  expect(failed.messages[0]?.outgoing).toMatchObject({ state: 'failed', problem, text: 'hi' });
  const again = withOutgoing(failed, { id: 'out', text: 'hi', attachments: [] });
  expect(again.messages.map(({ outgoing }) => outgoing?.state)).toEqual(['sending']);
  expect(withoutMessage(failed, 'out').messages).toEqual([]);
});

it('opens a turn once', () => {
  const open = withOpenTurn(emptyConversation, 't1');
  expect(withOpenTurn(open, 't1')).toBe(open);
  expect(withOpenTurn(open, '')).toBe(open);
});

it('takes what people wrote elsewhere from a page, and drops what is gone, but leaves answers to the stream', () => {
  const shown = folded(
    [piece('writ')],
    withStored(emptyConversation, [stored('m0', 'USER', 'old'), stored('m1', 'USER', 'gone')]),
  );
  const page = {
    items: [stored('m0', 'USER', 'old'), stored('m3', 'USER', 'new'), stored('m4', 'ASSISTANT', 'early')].map(
      (message) => ({ message }),
    ),
  };
  expect(texts(withPage(shown, page, new Set(['m0', 'm1'])))).toEqual(['m0:old', 'm2:writ', 'm3:new']);
});

it('drops nothing that is older than the page', () => {
  const shown = withStored(emptyConversation, [stored('m0', 'USER', 'old')]);
  const page = { hasMore: true, items: [{ message: stored('m3', 'USER', 'new') }] };
  expect(texts(withPage(shown, page, new Set(['m0'])))).toEqual(['m0:old', 'm3:new']);
  expect(texts(withPage(shown, { items: [] }, new Set(['m0'])))).toEqual([]);
});
