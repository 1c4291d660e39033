import { create } from '@bufbuild/protobuf';
import { FileSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { fileName } from '../../../resources/index.ts';
import { checkFile, isBelow, mergeFile } from './file-rules.ts';

const path = '/reports/one.txt';
const good = { path, mediaType: 'text/plain', purpose: 2, indexPolicy: 1, retention: 1 };
const faults = (change: object, about: { name?: string; before?: string } = {}) =>
  checkFile(create(FileSpecSchema, { ...good, ...change }), {
    name: about.name ?? fileName(path),
    before: about.before,
  }).map(({ field, reason }) => [field, reason]);

describe('checkFile', () => {
  it('accepts a whole spec', () => expect(faults({})).toEqual([]));
  it('names every unknown value and a bad media type at once', () => {
    expect(faults({ mediaType: 'nonsense', purpose: 99, indexPolicy: 99, retention: 99 })).toEqual([
      ['spec.mediaType', 'FILE_MEDIA_TYPE'],
      ['spec.purpose', 'FILE_PURPOSE'],
      ['spec.indexPolicy', 'FILE_INDEX_POLICY'],
      ['spec.retention', 'FILE_RETENTION'],
    ]);
  });
  it('refuses a bad path, a changed one and a name that is not the path’s', () => {
    expect(faults({ path: 'relative' })).toEqual([['spec.path', 'FILE_PATH']]);
    expect(faults({}, { before: '/other' })).toEqual([['spec.path', 'FILE_PATH']]);
    expect(faults({}, { name: 'mine' })).toEqual([['metadata.name', 'FILE_PATH']]);
  });
});

it('a prefix matches at slashes only, however many slashes it has', () => {
  const below = (prefix: string): boolean => isBelow('/a/b.txt', prefix);
  expect(['', '/', '///', '/a', '/a///', '/a/b.txt'].map(below)).toEqual([true, true, true, true, true, true]);
  expect(['/a/b', 'a', `${'/'.repeat(1_000_000)}x`].map(below)).toEqual([false, false, false]);
});

it('a change keeps what it does not name, and takes what it names', () => {
  const before = create(FileSpecSchema, good);
  const merged = (change: object) => {
    const { path: at, mediaType, purpose, indexPolicy, retention } = mergeFile(before, create(FileSpecSchema, change));
    return { path: at, mediaType, purpose, indexPolicy, retention };
  };
  expect(mergeFile(before, undefined)).toBe(before);
  expect(merged({})).toEqual(good);
  const changed = { path: '/b', mediaType: 'text/csv', purpose: 1, indexPolicy: 2, retention: 3 };
  expect(merged(changed)).toEqual(changed);
});
