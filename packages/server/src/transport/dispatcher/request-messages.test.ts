import { describe, expect, test } from 'vitest';
import { RequestMessages } from './request-messages.ts';

describe('messages of a client stream', () => {
  test('come in order, also those that wait when the stream ends', async () => {
    const messages = new RequestMessages();
    const first = messages.next();
    for (const name of ['a', 'b']) messages.push({ name });
    messages.end();
    messages.push({ name: 'late' });
    expect(await first).toEqual({ name: 'a' });
    expect(await messages.next()).toEqual({ name: 'b' });
    expect(await messages.next()).toBeUndefined();
  });

  test('are no more once the stream broke', async () => {
    const messages = new RequestMessages();
    messages.push({});
    messages.fail(new Error('cut'));
    messages.end();
    await expect(messages.next()).rejects.toThrow('cut');
  });

  test('refuse a client that is 1,024 messages ahead', async () => {
    const messages = new RequestMessages();
    for (let index = 0; index <= 1024; index++) messages.push({ index });
    await expect(messages.next()).rejects.toMatchObject({ reason: 'SLOW_CONSUMER' });
  });
});
