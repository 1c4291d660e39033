import { equals, fromBinary, toBinary } from '@bufbuild/protobuf';
import { SessionMessagePartEventSchema } from '@svc/api/events';
import { expect, test } from 'vitest';
import { EVENT, PART, type SessionEvent } from '../../../../runtime/contract.ts';
import { EventMessages } from './event-messages.ts';

const event: SessionEvent = {
  ...{ namespace: 'n', agent: 'a', sessionId: 's', turnId: 't', messageId: 'm' },
  ...{ attempt: 2, fence: 1, sequence: 16_777_220, units: 4, timestamp: 7, reason: '', kind: EVENT.DELTA },
  part: { id: '000000', type: PART.TEXT, content: 'text', createdAt: 3 },
};

test('an event is a whole message of the contract, with and without a part', () => {
  const messages = new EventMessages();
  const { part: _part, ...end } = event;
  for (const each of [event, { ...end, kind: EVENT.DONE, reason: 'completed' }]) {
    const message = messages.of(each, 'c');
    const again = fromBinary(SessionMessagePartEventSchema, toBinary(SessionMessagePartEventSchema, message));
    expect(equals(SessionMessagePartEventSchema, again, message)).toBe(true);
    expect(again).toMatchObject({ sessionId: 's', sequence: 16_777_220n, attempt: 2, cursor: 'c', turnId: 't' });
    expect(again.part).toBeDefined();
  }
});

test('all readers of an event share its message while their cursors agree', () => {
  const messages = new EventMessages();
  const first = messages.of(event, 'c');
  expect(messages.of(event, 'c')).toBe(first);
  expect(messages.of(event, 'd')).not.toBe(first);
  expect(messages.of({ ...event }, 'd').cursor).toBe('d');
});
