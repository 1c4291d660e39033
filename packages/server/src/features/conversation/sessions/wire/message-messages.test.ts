import { MessageRole, SessionMessagePartType } from '@svc/api/data';
import { expect, test } from 'vitest';
import type { MessageRow } from '../../../../store/contracts/index.ts';
import { MessageMessages } from './message-messages.ts';

const row = (id: string, text: string, revision = 1): MessageRow => ({
  id,
  sessionId: 's',
  role: MessageRole.ROLE_USER,
  createdAt: 1,
  labels: {},
  turnId: '',
  parts: JSON.stringify([{ id: 'p', type: SessionMessagePartType.TEXT, content: text, createdAt: 1 }]),
  revision,
});

test('a message is built once, and anew when its row says something else', () => {
  const messages = new MessageMessages(100_000);
  const first = messages.of(row('a', 'one'));
  expect(messages.of(row('a', 'one'))).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  const second = messages.of(row('a', 'two'));
  expect(second).not.toBe(first);
  expect(second.id).toBe('a');
});

test('past the bound of bytes the unread go first', () => {
  // An entry counts its text twice and some 600 bytes: seven of them pass 10,000 bytes.
  const messages = new MessageMessages(10_000);
  const read = messages.of(row('read', 'x'));
  const unread = messages.of(row('unread', 'x'));
  messages.of(row('read', 'x'));
  for (let index = 0; index < 6; index += 1) messages.of(row(`later-${index}`, 'x'));
  expect(messages.of(row('read', 'x'))).toBe(read);
  expect(messages.of(row('unread', 'x'))).not.toBe(unread);
});

test('a message that is no longer read goes as well', () => {
  const messages = new MessageMessages(10_000);
  const once = messages.of(row('once', 'x'));
  messages.of(row('once', 'x'));
  for (let index = 0; index < 20; index += 1) messages.of(row(`later-${index}`, 'x'));
  expect(messages.of(row('once', 'x'))).not.toBe(once);
});
