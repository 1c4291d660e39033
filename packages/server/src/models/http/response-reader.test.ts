import { describe, expect, it } from 'vitest';
import { BadResponse, ResponseReader } from './response-reader.ts';

/** Reads an answer cut into pieces of `size` bytes and tells what was seen. */
const readAll = (text: string, size: number) => {
  const seen = { status: 0, headers: {} as Readonly<Record<string, unknown>>, body: '', ended: 0, reusable: false };
  const reader = new ResponseReader({
    head: (status, headers) => Object.assign(seen, { status, headers }),
    data: (chunk) => {
      seen.body += chunk.toString('latin1');
    },
    end: (reusable) => {
      seen.ended += 1;
      seen.reusable = reusable;
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return { ...seen, reader };
};

const SIZES = [1, 2, 7, 1000];

describe('an answer of HTTP/1.1', () => {
  it.each(SIZES)('is read whole by its length, in pieces of %i bytes', (size) => {
    const read = readAll('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: one\r\nx-a: two\r\n\r\nhello', size);
    expect(read).toMatchObject({ status: 200, body: 'hello', ended: 1, reusable: true });
    expect(read.headers['x-a']).toEqual(['one', 'two']);
  });

  it.each(SIZES)('is read whole in chunks with extensions and trailers, in pieces of %i bytes', (size) => {
    const text =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n00B;x=1\r\n two\r\nthree\r\n0\r\nx: y\r\n\r\n';
    expect(readAll(text, size)).toMatchObject({ body: 'hello two\r\nthree', ended: 1, reusable: true });
  });

  it.each(SIZES)(
    'is read whole in chunks whose sizes have letters and leading zeros, in pieces of %i bytes',
    (size) => {
      const text =
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n0B\r\nabcdefghijk\r\n0000000002\r\n.!\r\n0\r\n\r\n';
      expect(readAll(text, size)).toMatchObject({ body: '0123456789abcdefghijk.!', ended: 1, reusable: true });
    },
  );

  it.each(SIZES)('is read after interim answers, in pieces of %i bytes', (size) => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\nHTTP/1.1 204 None\r\n\r\n';
    expect(readAll(text, size)).toMatchObject({ status: 204, body: '', ended: 1, reusable: true });
  });

  it('without a length ends with its connection', () => {
    const read = readAll('HTTP/1.1 200 OK\r\n\r\nall of it', 4);
    expect(read).toMatchObject({ body: 'all of it', ended: 0 });
    expect(read.reader.close()).toBe(true);
  });

  it('that its connection cuts is not complete', () => {
    expect(readAll('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', 4).reader.close()).toBe(false);
    expect(readAll('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 4).reader.close()).toBe(
      false,
    );
  });

  it('does not give its connection back when the server closes it, or speaks HTTP/1.0', () => {
    expect(readAll('HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 0\r\n\r\n', 9).reusable).toBe(false);
    expect(readAll('HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', 9).reusable).toBe(false);
  });

  it.each([
    ['no status line', 'SSH-2.0-x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'],
    ['a signed length', 'HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\n'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n'],
    ['a chunk longer than said', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhello\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ])('with %s is refused', (_what, text) => {
    expect(() => readAll(text, 11)).toThrow(BadResponse);
  });
});
