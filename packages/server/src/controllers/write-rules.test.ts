import { describe, expect, it } from 'vitest';
import { defaultLabelLimits, recordKey } from '../resources/index.ts';
import type { StoredOwner } from '../store/contracts/index.ts';
import type { DesiredResource } from './contract.ts';
import {
  checkMetadata,
  checkName,
  checkOwnerNamespaces,
  joinSystemKeys,
  sameOwners,
  settleMap,
} from './write-rules.ts';

const owner = (more: Partial<StoredOwner> = {}): StoredOwner => ({
  ...{ apiVersion: 'svc/v1', kind: 'Agent', namespace: 'n', name: 'a', uid: 'u' },
  ...{ controller: false, blockOwnerDeletion: false },
  ...more,
});

const fields = (wanted: DesiredResource, finalizers: readonly string[] = []): string[] => {
  const stored = { labels: {}, annotations: {}, finalizers } as never;
  return checkMetadata({ wanted, current: stored, path: 'metadata.', limits: defaultLabelLimits }).map(
    ({ field, reason }) => `${field} ${reason}`,
  );
};

describe('metadata', () => {
  it('without faults passes', () => {
    expect(fields({ labels: { a: 'b' }, owners: [owner()], finalizers: ['example.org/x'] })).toEqual([]);
    expect(checkMetadata({ wanted: {}, current: undefined, path: '', limits: defaultLabelLimits })).toEqual([]);
    expect(checkName('agent', recordKey('Agent', 'n', 'ok'), '')).toEqual([]);
    expect(checkName('agent', recordKey('Agent', 'n', '-'), 'metadata.')[0]?.field).toBe('metadata.name');
    for (const kind of ['Agent', 'Widget'])
      expect(checkName('agent', recordKey(kind, 'n', '-'), '')[0]?.reason).toBe('FIELD_INVALID');
    for (const kind of ['Channel', 'Connector', 'Schedule', 'Workflow'])
      expect(checkName('plain', recordKey(kind, 'n', '..'), '')[0]?.reason).toBe('NAME_INVALID');
  });

  it('has at most 16 owners, one controller, and owners that are named', () => {
    const many = Array.from({ length: 17 }, () => owner());
    expect(fields({ owners: many })).toEqual(['metadata.ownerReferences OWNER_REFERENCE']);
    expect(fields({ owners: [owner({ controller: true }), owner({ controller: true })] })).toHaveLength(1);
    for (const part of ['uid', 'kind', 'name']) expect(fields({ owners: [owner({ [part]: '' })] })).toHaveLength(1);
  });

  it('has owners in its namespace or an ancestor', () => {
    const visible = new Set(['n:x', 'n']);
    expect(checkOwnerNamespaces([owner()], visible, '')).toEqual([]);
    expect(checkOwnerNamespaces([owner({ namespace: 'm' })], visible, '')).toHaveLength(1);
  });

  it('has finalizers of the form domain/name, and those of controllers only from them', () => {
    expect(fields({ finalizers: ['none'] })).toHaveLength(1);
    expect(fields({ finalizers: Array.from({ length: 33 }, (_, index) => `x/f${index}`) })).toHaveLength(1);
    expect(fields({ finalizers: ['svc/mine'] })).toHaveLength(1);
    expect(fields({ finalizers: ['svc/mine'] }, ['svc/mine'])).toEqual([]);
    expect(fields({ finalizers: [] }, ['svc/mine', 'x/y'])).toHaveLength(1);
  });
});

describe('a map to store', () => {
  it('keeps system keys, takes wanted ones, and lets the program change its own', () => {
    const current = { a: '1', 'svc/x': 'y', 'svc/z': 'z' };
    expect(settleMap(current, undefined)).toEqual(current);
    expect(settleMap(current, { b: '2' }, { 'svc/x': undefined, 'svc/n': 'w' })).toEqual({
      b: '2',
      'svc/n': 'w',
      'svc/z': 'z',
    });
  });

  it('joins the system keys of kind and caller', () => {
    const joined = joinSystemKeys(
      { labels: { 'svc/a': '1' } },
      { labels: { 'svc/a': '2' }, annotations: { 'svc/b': '3' } },
    );
    expect(joined).toEqual({ labels: { 'svc/a': '2' }, annotations: { 'svc/b': '3' } });
    expect(joinSystemKeys(undefined, undefined)).toEqual({ labels: {}, annotations: {} });
  });

  it('compares owners as they stand', () => {
    expect(sameOwners([owner()], [owner()])).toBe(true);
    expect(sameOwners([owner()], [owner({ uid: 'v' })])).toBe(false);
  });
});
