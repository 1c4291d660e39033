import { create } from '@bufbuild/protobuf';
import { DeploymentSpecSchema, NamespaceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { spokenOf } from './rendered.ts';
import { selectionOf, unfitLabels } from './selection.ts';

describe('selection', () => {
  it('is below the own namespace unless another is named', () => {
    expect(selectionOf(create(DeploymentSpecSchema, {}), 'shop')).toEqual({ parent: 'shop', labels: {} });
    const named = { placement: { namespaceSelector: { parent: 'other', matchLabels: { tier: 'gold' } } } };
    expect(selectionOf(create(DeploymentSpecSchema, named), 'shop')).toEqual({
      parent: 'other',
      labels: { tier: 'gold' },
    });
  });

  it('says which labels do not fit', () => {
    const namespace = create(NamespaceSchema, { metadata: { labels: { tier: 'gold', zone: 'a' } } });
    expect(unfitLabels(namespace, { parent: '', labels: {} })).toEqual([]);
    expect(unfitLabels(namespace, { parent: '', labels: { tier: 'gold' } })).toEqual([]);
    expect(unfitLabels(namespace, { parent: '', labels: { tier: 'gold', zone: 'b', team: 'x' } })).toEqual([
      'zone=b',
      'team=x',
    ]);
  });
});

describe('spokenOf', () => {
  it('leaves out what the rendering does not name', () => {
    const live = { spec: { a: 1, b: { c: 2, d: 3 }, list: [1, 2] }, extra: true };
    expect(spokenOf(live, { spec: { a: 5, b: { c: 2 }, list: [1], gone: 'x' } })).toEqual({
      spec: { a: 1, b: { c: 2 }, list: [1, 2] },
    });
  });

  it('is undefined for what is not there', () => {
    expect(spokenOf(undefined, { a: 1 })).toBeUndefined();
  });
});
