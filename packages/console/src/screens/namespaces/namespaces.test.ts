import { create } from '@bufbuild/protobuf';
import { type Namespace, NamespaceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { labelLines, labelsOf } from './label-lines.ts';
import { namespaceRows } from './namespace-rows.ts';

const namespace = (name: string, parent = ''): Namespace =>
  create(NamespaceSchema, { metadata: { name }, spec: { parent } });

const shown = (namespaces: readonly Namespace[], find = ''): readonly string[] =>
  namespaceRows(namespaces, find).map(({ name, depth }) => `${'  '.repeat(depth)}${name}`);

describe('namespaceRows', () => {
  const all = [
    namespace('shop:eu', 'shop'),
    namespace('shop'),
    namespace('default'),
    namespace('shop:eu:north', 'shop:eu'),
  ];

  it('puts children below their parents', () => {
    expect(shown(all)).toEqual(['default', 'shop', '  shop:eu', '    shop:eu:north']);
  });

  it('keeps what is above a hit', () => {
    expect(shown(all, 'north')).toEqual(['shop', '  shop:eu', '    shop:eu:north']);
    expect(shown(all, 'zzz')).toEqual([]);
  });

  it('shows one whose parent is out of sight at the root', () => {
    expect(shown([namespace('a:b', 'a')])).toEqual(['a:b']);
  });
});

describe('labels', () => {
  it('are lines and back', () => {
    expect(labelLines({ tier: 'shop', 'svc/x': 'y', empty: '' })).toBe('tier=shop\nempty=');
    expect(labelsOf(' tier=shop \n\nempty=')).toEqual({ tier: 'shop', empty: '' });
    expect(labelsOf('')).toEqual({});
  });

  it.each(['tier', '=x', 'a b=c'])('refuses %s', (line) => {
    expect(labelsOf(line)).toBeUndefined();
  });
});
