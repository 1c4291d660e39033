import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readJsonDocuments } from './json-nodes.ts';
import { readText, readYaml } from './yaml-nodes.ts';

const spaces = fc.array(fc.constantFrom(' ', '\n', '\n\n  '), { maxLength: 2 }).map((parts) => parts.join(''));
const separator = fc.constantFrom('\n---\n', '\n---\n---\n', '\n--- ', '\n\n---\n \n');
/** A JSON value with spaces at any place where it may have some, but none between a name and its colon. */
const spaced = (value: fc.JsonValue, space: () => string): string => {
  const between = (parts: readonly string[]): string => parts.map((part) => space() + part + space()).join(',');
  if (Array.isArray(value)) return `[${between(value.map((item) => spaced(item, space)))}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${space()}${spaced(item as fc.JsonValue, space)}`,
  );
  return `{${between(members)}}`;
};

it('documents of JSON are what they are as YAML', () => {
  const document = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
  fc.assert(
    fc.property(fc.array(document, { maxLength: 3 }), separator, fc.array(spaces), (values, between, given) => {
      let used = 0;
      const space = (): string => given[used++ % Math.max(1, given.length)] ?? '';
      const text = values.map((value) => spaced(value as fc.JsonValue, space)).join(between);
      const nodes = readJsonDocuments(text);
      expect(nodes).toBeDefined();
      expect(readText(text)).toEqual(readYaml(text));
    }),
  );
});

it('broken or unusual JSON is left to the YAML reader', () => {
  const text =
    '{"kind": "Agent", "list": [1, -0.5e3, true, null, "a\\\\\\"b\\u00e9"], "map": {"x": {}}}\n---\n[{}, []]';
  expect(readJsonDocuments(text)).toBeDefined();
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    ' ',
    '\n',
    '\t',
    '"',
    '\\',
    '1',
    '-',
    '#',
    '---',
    'null',
    '\u0001',
    '',
  );
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(4), piece, (at, cut, put) => {
      const broken = text.slice(0, at) + put + text.slice(at + cut);
      expect(readText(broken)).toEqual(readYaml(broken));
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['text that is no JSON', 'kind: Agent'],
  ['a word alone', 'true'],
  ['two documents in one', '{}{}'],
  ['a list that never ends', '[1'],
  ['a text that never ends', '{"a": "b'],
  ['a text that ends with a backslash', '{"a": "b\\'],
  ['a name that is none', '{a: 1}'],
  ['a name twice', '{"a": 1, "a": 2}'],
  ['a space before a colon', '{"a" : 1}'],
  ['a long name', `{"${'a'.repeat(501)}": 1}`],
  ['a tab', '{"a":\t1}'],
  ['a raw line end in a text', '{"a": "b\nc"}'],
  ['an escape that JSON lacks', '{"a": "\\x41"}'],
  ['an octal number', '[01]'],
  ['a comment', '{} # end'],
  ['a line that only looks like a separator', '{}\n---x'],
  ['deep nesting', '['.repeat(91) + ']'.repeat(91)],
  ['a large document', `{"a": "${'x'.repeat(300_000)}"}`],
])('leaves %s to the YAML reader', (_what, text) => {
  expect(readJsonDocuments(text)).toBeUndefined();
  expect(readText(text)).toEqual(readYaml(text));
});

it('reads what no document says, and limits the number of documents as the YAML reader does', () => {
  for (const text of ['', '\n', '---', '---\n---\n', '[]', '--- {"a": 1}'])
    expect([text, readJsonDocuments(text), readText(text)]).toEqual([text, expect.anything(), readYaml(text)]);
  const many = `[${Array.from({ length: 5_001 }, () => '{}').join(',')}]`;
  expect(readText(many)).toEqual(readYaml(many));
  expect(readText(many).findings).toHaveLength(1);
});
