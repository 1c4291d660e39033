import { expect, it } from 'vitest';
import { type PathNode, pathTree } from './path-rows.ts';

const shown = (nodes: readonly PathNode[], depth = 0): readonly string[] =>
  nodes.flatMap(({ name, isFolder, children }) => [
    `${'  '.repeat(depth)}${name}${isFolder ? '/' : ''}`,
    ...shown(children, depth + 1),
  ]);

it('puts documents into their folders', () => {
  expect(shown(pathTree(['z.md', '/a/b/two.md', '/a/b/one.md', 'a.md', 'a/x.md']))).toEqual([
    'a/',
    '  b/',
    '    one.md',
    '    two.md',
    '  x.md',
    'a.md',
    'z.md',
  ]);
});

it('keeps the whole path of a document', () => {
  expect(pathTree(['/a/x.md'])[0]?.children[0]?.path).toBe('/a/x.md');
});
