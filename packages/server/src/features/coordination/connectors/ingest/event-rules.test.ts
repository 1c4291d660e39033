import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConnectorMessageEventKind, ConnectorMessageEventSchema } from '@svc/api/external';
import { describe, expect, it } from 'vitest';
import { conversationOf, eventLabels, isFromProgram, senderName, writtenAt } from '../context/index.ts';
import { checkEvent, ignoredReason } from './event-rules.ts';

const event = (fields: MessageInitShape<typeof ConnectorMessageEventSchema> = {}) =>
  create(ConnectorMessageEventSchema, { eventId: 'e', text: 'hello', ...fields });
const limits = { textBytes: 10, attachments: 1 };
const many = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

describe('an event', () => {
  it('is refused with each field that is too long, or missing', () => {
    const fields = (given: Parameters<typeof event>[0]) => checkEvent(event(given), limits).map(({ field }) => field);
    expect(fields({})).toEqual([]);
    expect(fields({ eventId: '' })).toEqual(['eventId']);
    expect(fields({ eventId: 'x'.repeat(256), externalThreadId: 'x'.repeat(513) })).toEqual([
      'eventId',
      'externalThreadId',
    ]);
    const long = 'x'.repeat(513);
    expect(fields({ sender: { kind: long, externalId: long, displayName: long, address: long } })).toHaveLength(4);
    expect(fields({ matchFields: many(33), labels: many(1, long) })).toEqual(['matchFields', 'labels[k0]']);
    expect(fields({ text: 'more than ten', attachments: [{}, {}] })).toEqual(['text', 'attachments']);
  });

  it('is left alone where it is no new message, or is empty', () => {
    const reason = (given: Parameters<typeof event>[0]) => ignoredReason(event(given));
    expect(reason({})).toBe('');
    expect(reason({ eventKind: ConnectorMessageEventKind.CREATED, text: '', attachments: [{}] })).toBe('');
    expect(reason({ eventKind: ConnectorMessageEventKind.DELETED })).toBe('unsupported_event_kind');
    expect(reason({ text: ' ' })).toBe('empty_message');
  });

  it('is of a program by the kind of its sender, in any letter case', () => {
    expect(isFromProgram(event({ sender: { kind: ' Bot' } }))).toBe(true);
    expect([isFromProgram(event()), isFromProgram(event({ sender: { kind: 'user' } }))]).toEqual([false, false]);
  });

  it('was written when its platform says, unless that is not yet', () => {
    const now = 1_000_000_000;
    const at = (eventTimeMs: bigint) => writtenAt(event({ eventTimeMs }), now);
    expect([at(0n), at(-1n), at(5n), at(1_300_000n), at(1_300_001n)]).toEqual([now, now, 5_000, 1_300_000_000, now]);
  });

  it('has the first name of its sender that is not blank', () => {
    expect(senderName(event({ sender: { displayName: ' ', externalId: 'u', address: 'a' } }))).toBe('u');
    expect([senderName(event({ sender: {} })), senderName(event())]).toEqual(['', '']);
  });

  it('belongs to a conversation by its ids, or by its match fields in any order', () => {
    expect(conversationOf(event({ externalConversationId: 'c', matchFields: { a: '1' } }))).toEqual(['c', '']);
    expect(conversationOf(event({ externalThreadId: 't' }))).toEqual(['', 't']);
    expect(conversationOf(event({ matchFields: { b: '2', a: '1' } }))).toEqual(
      conversationOf(event({ matchFields: { a: '1', b: '2' } })),
    );
  });
});

it('labels leave out what is blank or has not the form of a label', () => {
  const context = {
    classUid: 'u',
    classNamespace: 'default',
    className: 'chat',
    registrationId: 'r',
    connectorUid: 'v',
    connectorNamespace: 'default',
    connectorName: 'one',
    eventId: 'line\nbreak',
    conversationId: 'c',
    threadId: '',
    messageId: 'm',
    conversationType: 'dm',
    sender: { kind: 'user', externalId: 'u1', name: '' },
    matchFields: {},
    replyMode: 'auto',
    eventLabels: {},
  };
  const labels = eventLabels(context, { matchFields: { team: 't', 'a b': 'x' }, labels: many(17) });
  expect(Object.keys(labels).filter((key) => key.startsWith('svc/event-label.'))).toHaveLength(16);
  expect(labels).toMatchObject({ 'svc/connector-match.team': 't', 'svc/external-conversation': 'c' });
  for (const key of ['connector-event', 'external-thread', 'external-sender-name', 'connector-match.a b'])
    expect(labels).not.toHaveProperty([`svc/${key}`]);
});
