import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import { ChatBodies } from './chat-bodies.ts';

const MESSAGE_BYTES = 1024 * 1024;
const picture = Buffer.alloc(300_000, 'picture');
const hash = createHash('sha256').update(picture).digest('hex');
const bodies = (): ChatBodies => new ChatBodies({ clock: new ManualClock(), messageBytes: MESSAGE_BYTES });

const text = (length: number): object => ({ type: 'text', text: 'a'.repeat(length) });
const file = (url: string): object => ({ type: 'file', mediaType: 'image/png', filename: 'a.png', url });
const bodyOf = (parts: readonly object[], more: object = {}): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ messages: [{ role: 'user', parts }], ...more }));

describe('bodies of the browser chat', () => {
  test.each([1, 100_000])('hold the bytes of their files, %i characters of text with them', async (length) => {
    const small = Buffer.from('small');
    const parts = [
      text(length),
      file(`data:image/gif;base64,${small.toString('base64')}`),
      ...(length > 1 ? [file(`data:image/png;base64,${picture.toString('base64')}`)] : []),
      file('https://example.com/a.png'),
    ];
    const request = await bodies().read(bodyOf(parts, { labels: { a: 'b' }, whenBusy: 'reject' }));
    if (request.kind !== 'send') throw new Error(`read as ${request.kind}`);
    const { files, ...rest } = request.message;
    expect(rest).toEqual({ text: 'a'.repeat(length), labels: { a: 'b' }, whenBusy: 'REJECT' });
    const seen = files.map(({ source }) =>
      'url' in source ? source.url : Buffer.from(source.bytes).toString('latin1'),
    );
    const large = length > 1 ? [picture.toString('latin1')] : [];
    expect(seen).toEqual(['small', ...large, 'https://example.com/a.png']);
    if (length > 1) expect(files[1]?.source).toMatchObject({ mediaType: 'image/png', sha256: hash });
  });

  test.each([
    ['no JSON', new Uint8Array(100_000).fill(0x61), 'the body is not JSON'],
    ['no UTF-8', new Uint8Array(100_000).fill(0xff), 'the body is not UTF-8'],
    [
      'damaged data: url',
      bodyOf([text(100_000), file('data:image/png;base64,a$b')]),
      'messages: a file has no valid data: url',
    ],
  ])('are refused alike when they are large: %s', async (_, bytes, message) => {
    await expect(bodies().read(bytes)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  test.each([
    ['text', bodyOf([text(2 * MESSAGE_BYTES)])],
    ['a url', bodyOf([file(`https://example.com/${'a'.repeat(2 * MESSAGE_BYTES)}`)])],
    [
      'labels',
      bodyOf([text(1)], { labels: Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, ''])) }),
    ],
    ['files', bodyOf(Array.from({ length: 30_000 }, () => file('https://a')))],
  ])('are refused when they hold too much besides the bytes of files: %s', async (_, bytes) => {
    await expect(bodies().read(bytes)).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
      message: `messages: has more than ${MESSAGE_BYTES} bytes (limits.messageBytes)`,
    });
  });

  test.each(['[]', '{"a":1}'])(
    'are refused when they have more values than memory may be spent on: %s',
    async (value) => {
      const bytes = new TextEncoder().encode(`{"messages":[${Array.from({ length: 200_000 }, () => value)}]}`);
      await expect(bodies().read(bytes)).rejects.toMatchObject({
        code: 'RESOURCE_EXHAUSTED',
        reason: 'TOO_LARGE',
        message: 'the body has more than 200000 values',
      });
    },
  );
});
