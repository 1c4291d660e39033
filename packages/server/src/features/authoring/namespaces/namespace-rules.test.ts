import { create } from '@bufbuild/protobuf';
import { NamespaceSpecSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { namespaceKey } from '../../../resources/index.ts';
import {
  checkDepth,
  checkPlace,
  checkSpec,
  judgeNamespace,
  namespaceState,
  parentMismatch,
} from './namespace-rules.ts';

const record = (status: string, labels: object = {}, annotations: object = {}) => ({
  ...{ key: namespaceKey('a'), apiVersion: 'svc/v1', uid: 'u', generation: 1, version: 1 },
  ...{ labels: labels as Record<string, string>, annotations: annotations as Record<string, string> },
  ...{ owners: [], finalizers: [], spec: '{}', status },
});

it('the state of a namespace is read from its record, also from one that says little', () => {
  expect(namespaceState(record('broken'))).toMatchObject({ parent: '', ancestors: [], isDeleted: false, deletedAt: 0 });
  const full = record('{"isDeleted":true,"deletedAt":"7"}', { 'svc/~parent': 'p' }, { 'svc/~ancestors': 'p,q' });
  expect(namespaceState(full)).toMatchObject({ parent: 'p', ancestors: ['p', 'q'], isDeleted: true, deletedAt: 7 });
});

it('a place is judged by name and parent', () => {
  expect(checkPlace('a:b', 'a')).toEqual([]);
  expect(checkPlace('a:b', 'c').map(({ reason }) => reason)).toEqual(['PARENT_MISMATCH']);
  expect(checkPlace('a', 'a').map(({ reason }) => reason)).toEqual(['PARENT_MISMATCH']);
  expect(checkPlace('-', ':').map(({ field }) => field)).toEqual(['name', 'parent']);
  expect(parentMismatch('').description).toContain('no parent');
  expect(checkSpec('a:b', create(NamespaceSpecSchema, { parent: 'x' }))).toHaveLength(1);
  expect(checkSpec('a', create(NamespaceSpecSchema, { parent: 'x' }))).toEqual([]);
  expect(checkDepth(Array.from({ length: 33 }, () => 'x'))).toHaveLength(1);
});

it('a tombstone says what is left', () => {
  const findings = [{ type: 'ContentRemoved', status: 'False', reason: 'Finalizers' }] as const;
  const status = judgeNamespace(undefined, { now: 1, generation: 1, deletedAt: 5, findings });
  expect(status).toMatchObject({ phase: 'Terminating', isDeleted: true, deletedAt: 5n });
  expect(status.conditions.map(({ type }) => type)).toEqual(['Ready', 'ContentRemoved']);
  expect(judgeNamespace(status, { now: 9, generation: 1, deletedAt: 5 }).conditions[0]?.lastTransitionTime).toBe(1n);
});
