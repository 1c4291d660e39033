import { expect, it } from 'vitest';
import { parseManifests } from './index.ts';

const findingsOf = (text: string): readonly string[] =>
  parseManifests(text, { namespace: 'default' }).findings.map(({ field }) => field);
const members = (indent: string): string =>
  Array.from({ length: 150 }, (_, index) => `${indent}odd${index}: x\n`).join('');

it('a document reports its first 100 findings and is read no further', () => {
  expect(findingsOf(`kind: Channel\nmetadata: {name: x}\n${members('')}`)).toEqual(
    Array.from({ length: 100 }, (_, index) => `odd${index}`),
  );
  expect(findingsOf(`kind: Channel\nmetadata: {name: x}\nspec:\n${members('  ')}`)).toEqual(
    Array.from({ length: 100 }, (_, index) => `spec.odd${index}`),
  );
});

it('findings beyond the hundredth are dropped, whatever finds them', () => {
  const found = findingsOf(`kind: Channel\n${members('')}metadata: {uid: u}\n`);
  expect(found).toHaveLength(100);
  expect(found).not.toContain('metadata.uid');
});

it.each([
  [100, []],
  [101, ['spec.inputSchemaJson']],
])('a JSON text nested %d deep has findings for %o', (depth, expected) => {
  const text = `'${'['.repeat(depth)}${']'.repeat(depth)}'`;
  expect(findingsOf(`kind: Workflow\nmetadata: {name: x}\nspec: {inputSchemaJson: ${text}}\n`)).toEqual(expected);
});

it('of a call 10,000 findings are reported, and beyond them the first of each document', () => {
  const text = Array.from({ length: 105 }, () => `kind: Channel\n${members('')}`).join('---\n');
  const { findings } = parseManifests(text, { namespace: 'default' });
  const counts = [...Map.groupBy(findings, ({ document }) => document).values()].map((found) => found.length);
  expect(counts).toEqual([...Array.from({ length: 100 }, () => 100), 1, 1, 1, 1, 1]);
});
