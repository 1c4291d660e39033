import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFaultPlace } from './json-fault-place.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the place where a text stops being JSON', () => {
  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a":}', 1, 6],
    ['{"a" 1}', 1, 6],
    ["{'a':1}", 1, 2],
    ['{"a":1,}', 1, 8],
    ['{"a":1}}', 1, 8],
    ['[1 2]', 1, 4],
    ['[1,]', 1, 4],
    ['{"a":[1}', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a":"x\ny"}', 1, 8],
    ['{"a":"\\x"}', 1, 7],
    ['{"a":"x', 1, 8],
    ['{"a":tru}', 1, 6],
    ['{"a":01}', 1, 7],
    ['{"a":[[]]', 1, 10],
    ['nul', 1, 1],
  ])('of %j is line %i, column %i', (text, line, column) => {
    expect(jsonFaultPlace(text)).toEqual({ line, column });
  });

  it('has nothing wrong before it: some end makes JSON of what stands there', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', '}', '"', ',', ':', '[', 'x', '\n'))
      .map(([text, at, cut, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + cut);
      })
      .filter((text) => !isJson(text));
    fc.assert(
      fc.property(broken, (text) => {
        const { line, column } = jsonFaultPlace(text);
        const start =
          text
            .split('\n')
            .slice(0, line - 1)
            .join('\n').length + (line > 1 ? 1 : 0);
        const offset = start + column - 1;
        expect(offset).toBeLessThanOrEqual(text.length);
        // Whatever stands behind the fault, it stays where it is.
        if (offset < text.length) expect(jsonFaultPlace(`${text.slice(0, offset + 1)}]]]`)).toEqual({ line, column });
        expect(isJson(text.slice(0, offset)) && offset === text.length).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
