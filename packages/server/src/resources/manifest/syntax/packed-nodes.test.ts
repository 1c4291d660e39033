import { describe, expect, it } from 'vitest';
import { nodeOfText, nodeText } from './packed-nodes.ts';
import { readText } from './yaml-nodes.ts';

describe('nodes as text', () => {
  it.each([
    'a: 1\nb: [true, null, x, 1.5, -0.0, .inf, -.inf, 123456789012345678901234567890]\nc: {d: {}, e: []}',
    '- 1\n- {a: b}\n- [[]]',
    '{"a": {"b": [1, 2.5, "x", null, {"c": false}]}}',
    'x: &a {y: 1}\nz: *a',
  ])('come back with every value and place: %j', (text) => {
    const { documents } = readText(text);
    expect(documents.size).toBeGreaterThan(0);
    for (const node of documents.values()) expect(nodeOfText(nodeText(node))).toEqual(node);
  });

  it('come back with a number that is none', () => {
    const [node] = readText('a: .nan').documents.values();
    expect(nodeOfText(nodeText(node as never))).toEqual(node);
  });
});

describe('bounds of a text', () => {
  const findings = (text: string): readonly { readonly description: string; readonly reason: string }[] =>
    readText(text).findings;

  it('refuses a document of too many values before it is composed', () => {
    expect(findings(`a: [${'1,'.repeat(50_001)}1]`)).toMatchObject([
      { description: 'more than 50000 values in one document', reason: 'TOO_LARGE' },
    ]);
  });

  it('refuses too many comments, anchors and brackets before they are parsed', () => {
    const anchors = (count: number): string =>
      `a:\n${Array.from({ length: count }, (_, index) => `- &a${index} 1\n`).join('')}`;
    expect(findings(anchors(10_000))).toEqual([]);
    expect(findings(anchors(10_001))).toMatchObject([
      { description: 'more than 10000 anchors, aliases and tags', reason: 'ALIAS' },
    ]);
    expect(findings(`${'#\n'.repeat(50_001)}a: 1`)).toMatchObject([{ description: 'more than 50000 comments' }]);
    expect(findings(`a: |\n${'  # no comment, but text\n'.repeat(50_001)}`)).toMatchObject([{ reason: 'TOO_LARGE' }]);
    expect(findings(`a: |\n${'  # text\n'.repeat(50_001)}`)).toEqual([]);
    expect(findings('['.repeat(4_000_000))).toMatchObject([
      { description: 'nested deeper than 100', reason: 'SYNTAX' },
    ]);
    expect(findings('- '.repeat(1_500_000))).toMatchObject([{ reason: 'TOO_LARGE' }]);
  });

  it('reports the first 200 faults of a text and stops there', () => {
    expect(findings('a: !x 1\n---\n'.repeat(500))).toHaveLength(200);
    expect(findings(`a:\n${'- !x 1\n'.repeat(500)}`)).toHaveLength(200);
  });
});
