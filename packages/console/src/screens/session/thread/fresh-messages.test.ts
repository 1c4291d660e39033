import { expect, it } from 'vitest';
import { type ThreadMessage, threadRows } from '../conversation/thread-rows.ts';
import { freshMessages } from './fresh-messages.ts';

const message = (id: string): ThreadMessage => ({
  id,
  role: 'assistant',
  parts: [],
  createdAt: 0n,
  labels: {},
  isLive: false,
});

it('counts the messages behind the newest that was seen', () => {
  const rows = threadRows(['m1', 'm2', 'm3'].map(message));
  expect(freshMessages(rows, 'm1')).toBe(2);
  expect(freshMessages(rows, 'm3')).toBe(0);
  expect(freshMessages(rows, undefined)).toBe(0);
  expect(freshMessages([], 'm1')).toBe(0);
});
