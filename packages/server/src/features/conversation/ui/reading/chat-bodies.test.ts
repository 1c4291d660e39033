import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import { ChatBodies, contentsOf, judgedSize } from './chat-bodies.ts';
import type { ChatRequest } from './chat-request.ts';

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

describe('a request that was read in a thread', () => {
  const bytes = new Uint8Array(2 * MESSAGE_BYTES);
  const source = { bytes, mediaType: 'image/png', sha256: hash };
  const files = [
    { filename: 'a.png', source },
    { filename: 'b.png', source: { url: 'https://example.com/b.png', mediaType: 'image/png' } },
  ];
  const message = { text: 'a', labels: {}, whenBusy: 'REJECT', files };
  const request = { kind: 'send', message } as unknown as ChatRequest;
  const sized = (text: string): ChatRequest => ({ kind: 'answer', answers: [{ requestId: text }] }) as never;

  test('hands over the bytes of its files, of which only messages have any', () => {
    expect(contentsOf(request)).toEqual([bytes]);
    expect(contentsOf({ kind: 'regenerate', messageId: 'm1' })).toEqual([]);
  });

  test('is as large as its texts and names, whatever the bytes of its files', () => {
    expect(judgedSize(request, 1)).toBe(request);
    // The names kind, answers, 0 and requestId and the word answer have 27 characters; five values count 16 each.
    const most = 'a'.repeat(1_000 + 262_144 - 107);
    expect(judgedSize(sized(most), 1_000)).toEqual(sized(most));
    expect(() => judgedSize(sized(`${most}a`), 1_000)).toThrow('messages: has more than 1000 bytes');
  });
});
