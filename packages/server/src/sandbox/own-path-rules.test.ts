import { expect, it } from 'vitest';
import { isFixedPath, ownPaths } from './own-path-rules.ts';

it('gives a place of their own to what is writable outside of the workspace, and to what is read-only', () => {
  const writable = ['/data', '/workspace/x', '/tmp/y', '/usr/z', '/'];
  const readonly = ['/data', '/workspace/fixed', '/etc', '/work', '/tmp', '/tmp/fixed'];
  expect(ownPaths({ mountPath: '/workspace', writable, readonly })).toEqual([
    '/data',
    '/workspace/fixed',
    '/work',
    '/tmp/fixed',
  ]);
});

it.each([
  { mountPath: '/workspace', readonly: ['/workspace/a/b/fixed'], more: ['/workspace/a', '/workspace/a/b'] },
  { mountPath: '/tmp/a/work', readonly: ['/tmp/a/work/fixed'], more: ['/tmp/a'] },
  { mountPath: '/data/a/work', writable: ['/data'], more: ['/data/a'] },
  { mountPath: '/work', writable: ['/data', '/data/a/b'], readonly: ['/srv/a/fixed'], more: ['/data/a'] },
])('gives one to the folders above these that processes could rename: %j', (given) => {
  const { mountPath, writable = [], readonly = [], more } = given;
  const own = ownPaths({ mountPath, writable, readonly });
  expect(own.toSorted()).toEqual([...writable, ...readonly, ...more].toSorted());
});

it('keeps read-only what is, and the folders within it', () => {
  const paths = { mountPath: '/workspace', writable: ['/fixed/a/open'], readonly: ['/fixed'] };
  expect(ownPaths(paths)).toEqual(['/fixed/a/open', '/fixed', '/fixed/a']);
  expect(ownPaths(paths).map((path) => isFixedPath(paths, path))).toEqual([false, true, true]);
  expect(isFixedPath({ ...paths, readonly: ['/workspace/a/fixed'] }, '/workspace/a')).toBe(false);
});
