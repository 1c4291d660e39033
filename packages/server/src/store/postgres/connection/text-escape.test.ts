import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toParameter, unescaped } from './text-escape.ts';

describe('texts on their way to PostgreSQL', () => {
  it('lose every NUL and come back as they were', () => {
    const characters = fc.string({ unit: fc.constantFrom('\0', '\u{e000}', '0', '1', 'a', 'é', '😀') });
    fc.assert(
      fc.property(characters, (text) => {
        const stored = String(toParameter(text));
        expect(stored).not.toContain('\0');
        expect(unescaped(stored)).toBe(text);
      }),
    );
  });

  it('stay as they are without one, and in lists too', () => {
    expect(toParameter('plain')).toBe('plain');
    expect(toParameter(['a\0', 1, null])).toEqual(['a\u{e000}0', 1, null]);
    expect([toParameter(5), toParameter(null)]).toEqual([5, null]);
  });
});
