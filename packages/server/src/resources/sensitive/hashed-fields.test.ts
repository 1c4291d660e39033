import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../canonical-json.ts';
import { HASHED_PREFIX, hashSpec, type ValueHash } from './hashed-fields.ts';

/** Writes key, place and length into the text, so that a test sees what would be hashed. */
const hashBy = (newest: string, known: readonly string[] = [newest]): ValueHash => {
  const text = (key: string, place: string, plain: string): string =>
    `${HASHED_PREFIX}${key}:${Buffer.from(`${place} ${plain}`).toString('base64')}`;
  return {
    hash: (place, plain) => text(newest, place, plain),
    isHashOf: (hashed, place, plain) => known.some((key) => hashed === text(key, place, plain)),
  };
};
const at = (kind: string) => ({ kind, place: `acme/${kind}/x` });

describe('hashing', () => {
  it.each<readonly [string, JsonMap]>([
    ['Secret', { data: { a: 'value', b: '' }, type: 'Opaque' }],
    ['McpServer', { headers: { a: 'value', ref: 'secret://a/b' }, target: 'http://x' }],
    ['Template', { kind: 'McpServer', specJson: '{"headers":{"a":"value"}}' }],
  ])('hides the values of a %s and nothing else', (kind, spec) => {
    const text = JSON.stringify(hashSpec(at(kind), spec, { hash: hashBy('one') }));
    expect(text).not.toContain('value');
    expect(text).toContain(HASHED_PREFIX);
    if (kind === 'McpServer') expect(text).toContain('secret://a/b');
  });

  it('gives equal values equal texts, also after a rotation, and other values other texts', () => {
    const spec = { headers: { a: 'value', b: 'other' } };
    const old = hashSpec(at('McpServer'), spec, { hash: hashBy('one') });
    const rotated = hashBy('two', ['one', 'two']);
    expect(hashSpec(at('McpServer'), spec, { hash: rotated, like: old })).toEqual(old);
    const changed = hashSpec(at('McpServer'), { headers: { a: 'new', b: 'other' } }, { hash: rotated, like: old });
    expect(changed).not.toEqual(old);
    expect((changed as typeof spec).headers.b).toBe((old as typeof spec).headers.b);
    expect(hashSpec(at('McpServer'), spec, { hash: hashBy('two'), like: old })).not.toEqual(old);
  });

  it('leaves kinds without such values as they are', () => {
    const spec = { systemPrompt: 'value' };
    expect(hashSpec(at('Agent'), spec, { hash: hashBy('one') })).toEqual(spec);
  });
});
