import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterText, unescaped } from './text-escape.ts';

describe('texts on their way to PostgreSQL', () => {
  it('lose every NUL and come back as they were', () => {
    const characters = fc.string({ unit: fc.constantFrom('\0', '\u{e000}', '0', '1', 'a', 'é', '😀') });
    fc.assert(
      fc.property(characters, (text) => {
        const stored = String(parameterText(text));
        expect(stored).not.toContain('\0');
        expect(unescaped(stored)).toBe(text);
      }),
    );
  });

  it('stay as they are without one, and are quoted in lists', () => {
    expect(parameterText('plain "and" \\')).toBe('plain "and" \\');
    expect(parameterText(['a\0', 1, null, '"\\,{}', ''])).toBe('{"a\u{e000}0",1,NULL,"\\"\\\\,{}",""}');
    expect([parameterText(5.5), parameterText(null), parameterText([])]).toEqual(['5.5', null, '{}']);
  });
});
