import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../../store/contracts/index.ts';
import { fuse, pathFit, queryParts, rankBy } from './search-ranking.ts';
import { indexWords, plainWords, queryTerms } from './search-words.ts';
import { SNIPPET_MAX, snippetOf } from './snippet.ts';

const hit = (source: string, more: Partial<SearchHit> = {}): SearchHit => ({
  ...{ source, kind: 'Knowledge', namespace: 'near', name: source, path: source, updatedAt: 1 },
  ...{ heading: '', text: source, score: 1 },
  ...more,
});

describe('words of texts and queries', () => {
  it.each([
    ['Refund policy', ['refund', 'policy']],
    ['refund REFUND, refund!', ['refund']],
    ['"a" OR b* NEAR(c)', ['a', 'or', 'b', 'near', 'c']],
    ['Cafe\u0301', ['café']],
    ['!!! ---', []],
    ['東京都', ['東 京', '京 都']],
    ['茶', ['茶']],
    ['v2東京', ['v2', '東 京']],
    ['กข', ['ก ข']],
  ])('of %j are %j', (query, expected) => {
    expect(queryTerms(query)).toEqual(expected);
  });

  it('are at most 32 terms', () => {
    expect(queryTerms(Array.from({ length: 100 }, (_, index) => `w${index}`).join(' '))).toHaveLength(32);
  });

  it('of an indexed text stand alone where the script has no blanks', () => {
    expect(indexWords('in 東京')).toBe('in  東  京 ');
    expect(plainWords('A_b-C.d')).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('the fit of a path', () => {
  it.each([
    ['guides/Refund-Policy.md', 'refund policy', 3],
    ['guides/Refund-Policy.md', 'refund-policy.md', 3],
    ['refunds', 'REFUNDS', 3],
    ['guides/refund-policy.md', 'guides/refund-policy.md', 2],
    ['guides/refund-policy.md', 'policy.md', 2],
    ['a/guides/refund.md', 'guides refund md', 2],
    ['refund/policy/old.md', 'policy refund', 1],
    ['guides/refund.md', 'fund', 1],
    ['guides/refund.md', 'refund policy', 0],
    ['c++/notes', '++', 1],
    ['notes', '++', 0],
    ['.env', 'env', 3],
  ])('%s for %j is %i', (path, query, fit) => {
    expect(pathFit(path, query)).toBe(fit);
  });

  it('needs every part of the query', () => {
    expect(queryParts(' A/b ')).toEqual(['a', 'b']);
    expect(queryParts(' ++ ')).toEqual(['++']);
  });
});

describe('fused lists', () => {
  const order = (...given: Parameters<typeof fuse>) =>
    fuse(...given).map(({ hit: { source }, score }) => [source, Number(score.toFixed(3))]);

  it('give 1 to what stands first everywhere, and half of it for one list of two', () => {
    const lists = [rankBy([hit('a')], () => 1), rankBy([hit('a')], () => 1)];
    expect(order(lists, ['near'])).toEqual([['a', 1]]);
    expect(order([lists[0] ?? [], []], ['near'])).toEqual([['a', 0.5]]);
  });

  it('put a document of both lists above one that leads a single list', () => {
    const text = rankBy([hit('a', { score: 3 }), hit('b', { score: 2 })], (item) => item.score);
    const path = rankBy([hit('b')], () => 1);
    expect(order([text, path], ['near']).map(([source]) => source)).toEqual(['b', 'a']);
  });

  it('share ranks among equals and break ties by namespace, then by path', () => {
    const equals = [hit('z', { path: 'b' }), hit('y', { path: 'a' }), hit('x', { namespace: 'far', path: '0' })];
    const ranked = rankBy(equals, () => 1);
    expect(ranked.map(({ rank }) => rank)).toEqual([1, 1, 1]);
    expect(order([ranked], ['near', 'far']).map(([source]) => source)).toEqual(['y', 'z', 'x']);
    expect(
      rankBy([hit('a', { score: 1 }), hit('b', { score: 5 }), hit('c', { score: 5 })], (item) => item.score).map(
        ({ rank }) => rank,
      ),
    ).toEqual([3, 1, 1]);
  });

  it('show the chunk that was found by its text', () => {
    const text = rankBy([hit('a', { text: 'found' })], () => 1);
    const path = rankBy([hit('a', { text: 'first' })], () => 1);
    expect(fuse([text, path], ['near'])[0]?.hit.text).toBe('found');
  });

  it('have scores above 0 and at most 1, falling', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'));
    fc.assert(
      fc.property(ids, ids, (first, second) => {
        const lists = [first, second].map((list) =>
          rankBy(
            list.map((id) => hit(id)),
            ({ source }) => source.charCodeAt(0),
          ),
        );
        const scores = fuse(lists, ['near']).map(({ score }) => score);
        expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
        expect(scores).toEqual([...scores].sort((left, right) => right - left));
      }),
    );
  });
});

describe('a snippet', () => {
  it('is around another form of a term where the term itself is nowhere', () => {
    const filler = 'filler '.repeat(100);
    expect(snippetOf(`${filler} we refunded it ${filler}`, ['refunds'])).toContain('we refunded it');
    expect(snippetOf(`${filler} in der Straße ${filler}`, ['strasse'])).toContain('in der Straße');
  });

  const filler = (count: number) => Array.from({ length: count }, () => 'filler').join(' ');

  it('is a short text itself, on one line', () => {
    expect(snippetOf(' a\n\n b ', ['x'])).toBe('a b');
    expect(snippetOf('', ['x'])).toBe('');
  });

  it('is cut around the first hit, between words', () => {
    const snippet = snippetOf(`${filler(100)} Needle ${filler(100)}`, ['nothing', 'needle']);
    expect(snippet).toMatch(/^…filler .* Needle .* filler…$/);
    expect(snippet.length).toBeLessThanOrEqual(SNIPPET_MAX);
    expect(snippet.length).toBeGreaterThan(SNIPPET_MAX - 20);
    expect(snippetOf(`${filler(100)} needle`, ['needle'])).toMatch(/^…filler .* needle$/);
    expect(snippetOf(filler(100), ['absent'])).toMatch(/^filler .*filler…$/);
    expect(snippetOf(filler(100), [])).toMatch(/^filler/);
    expect(snippetOf(`${'長'.repeat(300)}東京${'長'.repeat(300)}`, ['東 京'])).toContain('東京');
  });

  it('is at most 240 characters and never half a character, whatever text and terms are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 600 }),
      fc.string({ unit: 'grapheme', minLength: 300, maxLength: 700 }),
      fc.nat(400).map((count) => '😀'.repeat(count)),
    );
    fc.assert(
      fc.property(text, fc.array(fc.string({ maxLength: 5 })), (content, terms) => {
        const snippet = snippetOf(content, terms);
        expect(snippet.length).toBeLessThanOrEqual(SNIPPET_MAX);
        expect(snippet.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
