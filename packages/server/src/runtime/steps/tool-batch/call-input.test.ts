import { describe, expect, it } from 'vitest';
import { callInput, canonicalJson, cutText, cutTextFromEnd, isObjectInput, MAX_ARGUMENT_BYTES } from './index.ts';

describe('arguments of a call', () => {
  it('parses JSON and takes nothing as an empty object', () => {
    expect(callInput(' {"a": [1]} ')).toEqual({ a: [1] });
    expect(callInput('')).toEqual({});
  });

  it('keeps broken, cut and oversize arguments as text, so that they stay invalid after a restart', () => {
    expect(callInput('{"a": ')).toBe('{"a":');
    expect(callInput('{"a": 1}', true)).toBe('{"a": 1}');
    const large = JSON.stringify({ a: 'x'.repeat(MAX_ARGUMENT_BYTES) });
    const kept = callInput(large);
    expect(typeof kept === 'string' && kept.length).toBe(2000);
    expect([callInput('{"a":'), callInput('[1]'), callInput('null'), kept].some(isObjectInput)).toBe(false);
  });

  it('keeps arguments nested deeper than 100 as text, as deep ones would exhaust the stack of whatever walks them', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(isObjectInput(callInput(nested(100)))).toBe(true);
    expect(typeof callInput(nested(101))).toBe('string');
    expect(callInput(nested(8_000))).toBe(nested(8_000).slice(0, 2_000));
  });

  it('writes equal values as equal text whatever the order of members', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] }));
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('never cuts a surrogate pair in two', () => {
    expect(cutText('ab😀cd', 3)).toBe('ab');
    expect(cutText('ab😀cd', 4)).toBe('ab😀');
    expect(cutText('ab', 5)).toBe('ab');
    expect(cutTextFromEnd('ab😀cd', 3)).toBe('cd');
    expect(cutTextFromEnd('ab😀cd', 4)).toBe('😀cd');
    expect(cutTextFromEnd('ab', 5)).toBe('ab');
  });
});
