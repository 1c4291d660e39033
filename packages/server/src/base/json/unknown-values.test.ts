import { describe, expect, it } from 'vitest';
import { errorText, isRecord, numberOrUndefined, sortedJson, textOrEmpty } from './unknown-values.ts';

describe('values of which nothing is known', () => {
  it('have members only as objects', () => {
    expect([{}, { a: 1 }, [], null, undefined, 'a', 1].map(isRecord)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('are text or number, or nothing', () => {
    expect(['a', '', 1, null, undefined, {}].map(textOrEmpty)).toEqual(['a', '', '', '', '', '']);
    expect([1, 0, '1', null, undefined].map(numberOrUndefined)).toEqual([1, 0, undefined, undefined, undefined]);
  });

  it('say what went wrong, thrown as an error or not', () => {
    expect([new TypeError('no such file'), 'stopped', 7].map(errorText)).toEqual(['no such file', 'stopped', '7']);
  });

  it('have one JSON text whatever the order of their members', () => {
    const value = { b: [1, { z: null, y: 'ä' }, undefined], a: { 10: true, 9: false }, c: undefined };
    expect(sortedJson(value)).toBe('{"a":{"10":true,"9":false},"b":[1,{"y":"ä","z":null},null]}');
    expect(sortedJson({ c: undefined, a: { 9: false, 10: true }, b: [1, { y: 'ä', z: null }, undefined] })).toBe(
      sortedJson(value),
    );
    expect(sortedJson(undefined)).toBe('null');
  });
});
