import { expect, it } from 'vitest';
import { ownPaths } from './own-path-rules.ts';

it('gives a place of their own to what is writable outside of the workspace, and to what is read-only', () => {
  const writable = ['/data', '/workspace/x', '/tmp/y', '/usr/z', '/'];
  const readonly = ['/data', '/workspace/fixed', '/etc', '/work'];
  expect(ownPaths({ mountPath: '/workspace', writable, readonly })).toEqual(['/data', '/workspace/fixed', '/work']);
});
