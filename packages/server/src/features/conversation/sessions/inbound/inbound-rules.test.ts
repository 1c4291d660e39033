import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { MessageRole, type SessionMessagePart, SessionMessagePartSchema, SessionMessageSchema } from '@svc/api/data';
import { AppendSessionMessageRequestSchema, SendMessageRequestSchema } from '@svc/api/gateway';
import { describe, expect, test } from 'vitest';
import type { ObjectData } from '../../../../runtime/contract.ts';
import { appendedMessage, checkAppend, checkSend, plainPart, urlOf } from './index.ts';

const limits = { labels: 2, messageBytes: 10 };
const part = (init: MessageInitShape<typeof SessionMessagePartSchema>): SessionMessagePart =>
  create(SessionMessagePartSchema, init);
const sendFaults = (init: object): string[] =>
  checkSend(create(SendMessageRequestSchema, init), limits).map((fault) => `${fault.field}: ${fault.description}`);
const appendFaults = (message: object | undefined): string[] => {
  const request = create(
    AppendSessionMessageRequestSchema,
    message === undefined ? {} : { message: create(SessionMessageSchema, message) },
  );
  return checkAppend(request, limits).map((fault) => fault.field);
};

describe('a message to be sent', () => {
  test('needs text or parts', () => {
    expect(sendFaults({ message: ' \n' })).toEqual(['message: must not be blank without parts']);
    expect(sendFaults({ parts: [part({ partType: 1, content: 'x' })] })).toEqual([]);
  });

  test('counts text in bytes, all of it together', () => {
    expect(sendFaults({ message: 'ÄÖÜäö' })).toEqual([]);
    expect(sendFaults({ message: 'ÄÖÜäöü' })).toEqual(['message: has more than 10 bytes (limits.messageBytes)']);
    expect(sendFaults({ message: 'ten bytes.', parts: [part({ partType: 1, content: 'x' })] })).toHaveLength(1);
  });

  test('takes text and media parts only, in bounded numbers', () => {
    expect(sendFaults({ parts: [part({ partType: 1, content: ' ' })] })).toEqual([
      'parts[0].content: must not be blank',
    ]);
    expect(sendFaults({ parts: [part({ partType: 5 })] })).toHaveLength(1);
    expect(sendFaults({ parts: [part({ partType: 7, payloadJson: '[1]' })] })).toEqual([
      'parts[0].payloadJson: is not a JSON object',
    ]);
    expect(sendFaults({ parts: [part({ partType: 7, payloadJson: '{' })] })).toHaveLength(1);
    expect(sendFaults({ parts: [part({ partType: 7 })] })).toEqual(['parts[0]: needs an object or a payload with url']);
    expect(sendFaults({ parts: [part({ partType: 7, payloadJson: '{"url":"ftp://x"}' })] })).toHaveLength(1);
    const image = part({ partType: 7, payloadJson: '{"url":"https://x.test/a"}' });
    expect(sendFaults({ parts: Array.from({ length: 21 }, () => image) })).toEqual(['parts: more than 20 attachments']);
    expect(
      sendFaults({ message: 'x', parts: Array.from({ length: 65 }, () => part({ partType: 1, content: 'x' })) }),
    ).toContain('parts: more than 64 parts');
  });

  test('takes known ways to meet a busy session, and own labels', () => {
    expect(sendFaults({ message: 'x', whenBusy: 5 })).toEqual(['whenBusy: is not one of the values']);
    expect(sendFaults({ message: 'x', whenBusy: -1 })).toHaveLength(1);
    expect(sendFaults({ message: 'x', labels: { a: '1', b: '2', 'svc/c': '3' } })).toHaveLength(2);
  });
});

describe('a message to be appended', () => {
  const text = { partType: 1, content: 'x' };

  test('needs parts, a role, a UUID and a time that make sense', () => {
    expect(appendFaults(undefined)).toEqual(['message.parts']);
    expect(appendFaults({ parts: [] })).toEqual(['message.parts']);
    const beyond = 2n ** 53n;
    expect(appendFaults({ createdAt: beyond - 1n, parts: [{ ...text, createdAt: beyond - 1n }] })).toEqual([]);
    expect(
      appendFaults({ createdAt: beyond, parts: [text, { ...text, createdAt: beyond }, { ...text, createdAt: -1n }] }),
    ).toEqual(['message.createdAt', 'message.parts[1].createdAt', 'message.parts[2].createdAt']);
    expect(appendFaults({ id: 'x', role: 9, createdAt: -1n, parts: [text] })).toEqual([
      'message.id',
      'message.role',
      'message.createdAt',
    ]);
  });

  test('takes every type of part, with ids of six digits used once', () => {
    expect(appendFaults({ parts: [{ partType: 3, name: 't', payloadJson: '{"tool_call_id":"c"}' }, text] })).toEqual(
      [],
    );
    expect(appendFaults({ parts: [{ partType: 0 }, { partType: 14 }] })).toEqual([
      'message.parts[0].partType',
      'message.parts[1].partType',
    ]);
    expect(appendFaults({ parts: [{ partType: 1 }, { partType: 3, payloadJson: '1' }] })).toEqual([
      'message.parts[0].content',
      'message.parts[1].payloadJson',
    ]);
    expect(appendFaults({ parts: [{ partType: 10 }] })).toEqual(['message.parts[0]']);
    expect(appendFaults({ parts: [{ ...text, id: '000001' }, text, { ...text, id: 'abc' }] })).toEqual([
      'message.parts[1].id',
      'message.parts[2].id',
    ]);
  });

  test('gets what it does not say: id, role, times, part ids', () => {
    const message = create(SessionMessageSchema, {
      parts: [text, { partType: 10, name: 'a', createdAt: 5n, payloadJson: '{"k":1}' }],
    });
    const object: ObjectData = { key: 'k', mediaType: 'text/plain', sizeBytes: 1, sha256: 's', filename: 'a' };
    expect(appendedMessage(message, { id: 'new', now: 7, objects: new Map([[1, object]]) })).toEqual({
      id: 'new',
      role: MessageRole.ROLE_USER,
      createdAt: 7,
      labels: {},
      parts: [
        { id: '000000', type: 1, content: 'x', createdAt: 7 },
        { id: '000001', type: 10, name: 'a', payload: { k: 1 }, createdAt: 5, object },
      ],
    });
    const whole = create(SessionMessageSchema, {
      id: 'own',
      role: 2,
      createdAt: 3n,
      parts: [{ ...text, id: '000009' }],
    });
    expect(appendedMessage(whole, { id: 'new', now: 7, objects: new Map() })).toMatchObject({
      id: 'own',
      role: 2,
      createdAt: 3,
      parts: [{ id: '000009', createdAt: 3 }],
    });
  });

  test('of a part with a broken payload keeps the rest', () => {
    const broken = part({ partType: 1, content: 'x', payloadJson: '{' });
    expect([plainPart(broken, { id: '1', createdAt: 1 }), urlOf(broken)]).toEqual([
      { id: '1', type: 1, content: 'x', createdAt: 1 },
      '',
    ]);
  });
});
