import { create } from '@bufbuild/protobuf';
import { KnowledgeSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import {
  checkKnowledge,
  fillKnowledge,
  isKnowledgePath,
  KNOWLEDGE_MAX,
  normalPath,
  requireQuery,
  resultLimit,
} from './knowledge-rules.ts';

const spec = (path: string, content = '') => create(KnowledgeSpecSchema, { path, content });

describe('the rules of knowledge', () => {
  it.each(['a', 'a/b/c.md', 'Über/Größe 1.md', '東京', '...', 'a..b', ' ', '😀'.repeat(512)])(
    'take path %j',
    (path) => {
      expect(checkKnowledge(spec(path))).toEqual([]);
    },
  );

  it('normalise a path of any length', () => {
    const slashes = '/'.repeat(1_000_000);
    expect(normalPath(`${slashes}a${slashes}`)).toBe('a');
    expect(normalPath(slashes)).toBe('');
    expect(normalPath(`a${slashes}b`)).toBe(`a${slashes}b`);
  });

  it.each([
    '',
    '/',
    'a//b',
    './a',
    'a/..',
    '..',
    '.',
    'a/',
    '/a',
    'a\nb',
    'a\0',
    'a\u0085b',
    'x'.repeat(513),
    '\ud800',
  ])('refuse path %j', (path) => {
    expect(isKnowledgePath(path)).toBe(false);
    expect(checkKnowledge(spec(path))).toMatchObject([{ field: 'spec.path', reason: 'KNOWLEDGE_PATH' }]);
  });

  it('bound the content by its bytes, and name all faults at once', () => {
    expect(checkKnowledge(spec('a', 'x'.repeat(KNOWLEDGE_MAX)))).toEqual([]);
    const tooLong = 'é'.repeat(KNOWLEDGE_MAX / 2 + 1);
    expect(checkKnowledge(spec('', tooLong)).map(({ reason }) => reason)).toEqual(['KNOWLEDGE_PATH', 'TOO_LARGE']);
  });

  it('write paths in composed characters without slashes around them', () => {
    expect(normalPath('//a/b/')).toBe('a/b');
    expect(normalPath('Cafe\u0301')).toBe('Caf\u00e9');
    expect(fillKnowledge(spec(''), 'a:b/c').path).toBe('a:b/c');
    expect(fillKnowledge(spec('/x/'), 'name').path).toBe('x');
    const same = spec('x');
    expect(fillKnowledge(same, 'name')).toBe(same);
  });

  it('require a query of at most 1,024 characters', () => {
    requireQuery('x'.repeat(1024));
    requireQuery('😀'.repeat(1024));
    for (const blank of ['', ' \n\t\u3000'])
      expect(() => requireQuery(blank)).toThrow(
        expect.objectContaining({ violations: [expect.objectContaining({ reason: 'QUERY_REQUIRED' })] }),
      );
    expect(() => requireQuery('x'.repeat(1025))).toThrow(expect.objectContaining({ reason: 'FIELD_INVALID' }));
  });

  it('answer 5 results, what was asked for, or 50', () => {
    expect([0, 1, 50, 51].map(resultLimit)).toEqual([5, 1, 50, 50]);
    expect(() => resultLimit(-1)).toThrow(expect.objectContaining({ reason: 'FIELD_INVALID' }));
  });
});
