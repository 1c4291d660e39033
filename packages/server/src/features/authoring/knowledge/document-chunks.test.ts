import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_LENGTH, chunkDocument, OVERLAP_LENGTH } from './document-chunks.ts';

const sentence = (word: string, count: number): string => Array.from({ length: count }, () => word).join(' ');
const texts = (content: string) => chunkDocument(content).map((chunk) => chunk.text);

describe('chunks of a document', () => {
  it('are one for a short document, and one empty for none', () => {
    expect(chunkDocument('# Title\n\nText.')).toEqual([
      { heading: 'Title', text: '# Title\n\nText.', words: '# Title\n\nText.' },
    ]);
    expect(chunkDocument(' \n\n ')).toEqual([{ heading: '', text: '', words: '' }]);
  });

  it('begin at headings and keep the path of headings', () => {
    const body = sentence('word', 140);
    const content = `# Guide\n\n${body}\n\n## Refunds ##\n\n${body}\n\n### Cards\n\n${body}\n\n# Other\n\n${body}`;
    expect(chunkDocument(content).map(({ heading, text }) => [heading, text.split('\n')[0]])).toEqual([
      ['Guide', '# Guide'],
      ['Guide > Refunds', '## Refunds ##'],
      ['Guide > Refunds > Cards', '### Cards'],
      ['Other', '# Other'],
    ]);
  });

  it('hold several short sections together', () => {
    const content = Array.from({ length: 10 }, (_, index) => `## S${index}\n\nshort`).join('\n\n');
    expect(texts(content)).toEqual([content]);
  });

  it('take no heading out of code', () => {
    expect(chunkDocument('# A\n\n```\n# comment\n\n# more\n```\n\ntext').map(({ heading }) => heading)).toEqual(['A']);
    expect(texts('```\n# a\n\nb\n```')).toEqual(['```\n# a\n\nb\n```']);
  });

  it('are cut between paragraphs and repeat the end of the one before', () => {
    const paragraphs = ['alpha', 'beta', 'gamma', 'delta'].map((word) => sentence(word, 90));
    const found = texts(paragraphs.join('\n\n'));
    expect(found.length).toBeGreaterThan(1);
    for (const [index, text] of found.slice(1).entries()) {
      const [overlap = ''] = text.split('\n\n');
      expect(overlap.length).toBeGreaterThan(OVERLAP_LENGTH / 2);
      expect(found[index]?.endsWith(overlap)).toBe(true);
    }
  });

  it('are cut after sentences where a paragraph is too long, else between words, else anywhere', () => {
    const long = Array.from({ length: 60 }, (_, index) => `This is sentence number ${index}, and it ends.`).join(' ');
    for (const text of texts(long).slice(0, -1)) expect(text).toMatch(/ends\.$/);
    for (const text of texts(sentence('word', 600))) expect(text).toMatch(/^word.*word$/s);
    const emoji = '😀'.repeat(2_000);
    for (const text of texts(emoji)) expect(text.isWellFormed()).toBe(true);
    expect(texts('。'.repeat(3_000)).length).toBeGreaterThan(2);
  });

  it('lose no word of any document and stay within their length', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.constantFrom('# A', '###### B', '```', '', '   ', 'x'.repeat(3_000), sentence('abc', 500), '#'.repeat(2_000)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const content = lines.join('\n');
        const found = chunkDocument(content);
        expect(found.length).toBeGreaterThan(0);
        for (const { text } of found) expect(text.length).toBeLessThanOrEqual(CHUNK_LENGTH);
        const squeezed = found.map(({ text }) => text.replace(/\s/g, '')).join('\n');
        for (const word of content.split(/\s+/)) expect(squeezed).toContain(word.slice(0, 20));
      }),
    );
  });

  it('know a title without the marks that close it, in a line of any length', () => {
    const headings = (line: string) => chunkDocument(line).map(({ heading }) => heading);
    expect(headings('## Refunds # \t##')).toEqual(['Refunds']);
    expect(headings('# #')).toEqual(['']);
    const line = `# title ${'# '.repeat(500_000)}end`;
    expect(new Set(headings(line))).toEqual(new Set([line.slice(2, 202)]));
  });

  it('are as many as the length of the largest document asks for', () => {
    const found = chunkDocument('#\n'.repeat(512 * 1024));
    expect(found.length).toBeLessThan(2_000);
    expect(chunkDocument('# h\n\nx\n'.repeat(130_000)).length).toBeLessThan(3_000);
  });
});
