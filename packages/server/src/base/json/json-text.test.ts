import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreValuesThan, JSON_DEPTH_CEILING, nestsDeeperThan, parseJsonText } from './json-text.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** Levels of a value, counted on the value itself. */
const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;

describe('nesting of JSON texts', () => {
  it('counts arrays and objects, not what stands beside each other', () => {
    expect(nestsDeeperThan(nested(3), 3)).toBe(false);
    expect(nestsDeeperThan(nested(4), 3)).toBe(true);
    expect(nestsDeeperThan('{"a":{"b":[1]}}', 2)).toBe(true);
    expect(nestsDeeperThan('[[],[],[],[],[]]', 2)).toBe(false);
  });

  it('ignores brackets inside of strings, whatever is escaped there', () => {
    expect(nestsDeeperThan('["[[[[", "\\"[[[[", "\\\\", "[[[["]', 1)).toBe(false);
    expect(nestsDeeperThan('["\\\\", [[1]]]', 2)).toBe(true);
    expect(nestsDeeperThan('["unfinished [[[[', 1)).toBe(false);
  });

  it('says the same as the parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (text, limit) => {
        expect(nestsDeeperThan(text, limit)).toBe(levelsOf(JSON.parse(text)) > limit);
      }),
    );
  });

  it('parses up to the ceiling and throws a SyntaxError beyond', () => {
    expect(levelsOf(parseJsonText(nested(JSON_DEPTH_CEILING)))).toBe(1_000);
    expect(() => parseJsonText(nested(JSON_DEPTH_CEILING + 1))).toThrow(SyntaxError);
    expect(() => parseJsonText(nested(5), 4)).toThrow('nested deeper than 4');
    expect(parseJsonText('{"a":1}')).toEqual({ a: 1 });
  });
});

it('the values of a JSON text are counted, whatever stands inside of strings', () => {
  const text = '{"a":[1,2,3],"b":"[,{,[","c":{}}';
  expect([6, 7].map((limit) => hasMoreValuesThan(text, limit))).toEqual([true, false]);
  expect(hasMoreValuesThan('[[],[]]', 3)).toBe(true);
  expect(hasMoreValuesThan('"unfinished [,[', 0)).toBe(false);
});
