import { describe, expect, it } from 'vitest';
import { NamespaceTree } from './namespace-tree.ts';

const tree = new NamespaceTree([
  { name: 'acme:web:eu', parent: 'acme:web' },
  { name: 'default', parent: '' },
  { name: 'acme:web', parent: 'acme' },
  { name: 'acme', parent: '' },
  { name: 'shop', parent: 'acme' },
]);

describe('NamespaceTree', () => {
  it('lists children directly after their parent, by name', () => {
    expect(tree.rows).toEqual([
      { name: 'acme', depth: 0 },
      { name: 'acme:web', depth: 1 },
      { name: 'acme:web:eu', depth: 2 },
      { name: 'shop', depth: 1 },
      { name: 'default', depth: 0 },
    ]);
  });

  it('shows a namespace whose parent is hidden at the root', () => {
    expect(new NamespaceTree([{ name: 'acme:web', parent: 'acme' }]).rows).toEqual([{ name: 'acme:web', depth: 0 }]);
  });

  it('knows the ancestors, nearest first, also of a namespace that it does not list', () => {
    expect(tree.ancestorsOf('acme:web:eu')).toEqual(['acme:web', 'acme']);
    expect(tree.ancestorsOf('shop')).toEqual(['acme']);
    expect(tree.ancestorsOf('acme:new')).toEqual(['acme']);
    expect(tree.ancestorsOf('default')).toEqual([]);
  });
});
