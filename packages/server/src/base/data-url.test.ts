import { describe, expect, it } from 'vitest';
import { decodingDataUrl } from './data-url.ts';
import { atOnce } from './steps/index.ts';

const decoded = (url: string): [string, string] | undefined => {
  const content = atOnce(decodingDataUrl(url));
  return content === undefined ? undefined : [content.mediaType, Buffer.from(content.bytes).toString('utf8')];
};

describe('data: urls', () => {
  it.each([
    ['data:,hello', 'text/plain', 'hello'],
    ['data:text/x;charset=utf-8,a%20%C3%BC', 'text/x', 'a ü'],
    ['data:image/png;base64,aGVsbG8=', 'image/png', 'hello'],
    ['data:image/png;base64,aGVsbG8%3D', 'image/png', 'hello'],
    ['data:;base64,', 'text/plain', ''],
  ])('%s', (url, mediaType, text) => expect(decoded(url)).toEqual([mediaType, text]));

  it.each(['data:image/png', 'data:;base64,a$b', 'data:,%zz', 'data:,%ff', 'data:;base64,aa=a'])(
    '%s is malformed',
    (url) => expect(decoded(url)).toBeUndefined(),
  );

  it('of megabytes come whole, cut into steps', () => {
    const bytes = Buffer.alloc(5_000_001, 'abcdefg');
    const steps = decodingDataUrl(`data:a/b;base64,${bytes.toString('base64')}`);
    let count = 0;
    for (let step = steps.next(); ; step = steps.next(), count++) {
      if (step.done !== true) continue;
      expect(Buffer.compare(step.value?.bytes ?? Buffer.alloc(0), bytes)).toBe(0);
      break;
    }
    expect(count).toBe(7);
  });

  it('of megabytes with percent signs are refused', () => {
    expect(decoded(`data:,%20${'a'.repeat(4 * 1024 * 1024)}`)).toBeUndefined();
  });
});
