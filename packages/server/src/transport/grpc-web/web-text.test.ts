import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../base/index.ts';
import { encodeWebText, encodingWebText, webText } from './web-text.ts';

const decode = (text: string): string => atOnce(webText.decoding(Buffer.from(text, 'latin1'))).toString('latin1');

describe('a body in base64', () => {
  it.each([
    ['', ''],
    ['QQ==', 'A'],
    ['QUI=', 'AB'],
    ['QUJD', 'ABC'],
    ['QUI', 'AB'],
    ['QQ==QUI=QUJD', 'AABABC'],
    ['\r\n QUJD \n', 'ABC'],
    ['+/+/', '\xfb\xff\xbf'],
  ])('%j is read', (text, bytes) => {
    expect(decode(text)).toBe(bytes);
  });

  it.each(['Q', 'QQ===', '=QQ=', 'QU JD', 'QU\nJD', 'QU-D', 'QU_D', 'QU*D', 'QUJDé', 'Q==='])(
    '%j is refused',
    (text) => {
      expect(() => decode(text)).toThrow('body is not base64');
    },
  );

  it('is read over the slices in which it becomes text, padded anywhere', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 150_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 255 }), (lengths, first) => {
        const parts = lengths.map((length) => Buffer.from(Array.from({ length }, (_, at) => (first + at * 7) % 256)));
        const text = parts.map((part) => part.toString('base64')).join('');
        expect(atOnce(webText.decoding(Buffer.from(text))).equals(Buffer.concat(parts))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('may have a thousand runs and no more', () => {
    expect(decode('QQ=='.repeat(1_000))).toHaveLength(1_000);
    expect(() => decode('QQ=='.repeat(1_001))).toThrow('body is not base64');
  });
});

it('a message of megabytes is written in steps as it would be at once', () => {
  const frame = Buffer.from(Array.from({ length: 1_000_001 }, (_, at) => (at * 7) % 256));
  const steps = encodingWebText(frame);
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count++) {
    if (step.done !== true) continue;
    expect(step.value.equals(encodeWebText(frame))).toBe(true);
    break;
  }
  expect(count).toBe(10);
});
