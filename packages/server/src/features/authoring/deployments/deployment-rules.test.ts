import { create } from '@bufbuild/protobuf';
import { DeploymentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../base/index.ts';
import { API_VERSION, recordKey } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { ConcurrentChange, refusalOf } from './concurrent-change.ts';
import {
  defaultDeploymentLimits,
  isSelected,
  mayPlace,
  renderingVersion,
  replicaName,
  servedNames,
} from './deployment-rules.ts';
import { countReplicas, judgeDeployment, type ReplicaStanding } from './deployment-status.ts';

const record = (more: object = {}): StoredResource => ({
  key: recordKey('Deployment', 'acme', 'd'),
  apiVersion: API_VERSION,
  uid: 'uid',
  generation: 2,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  labels: {},
  annotations: {},
  owners: [],
  finalizers: [],
  spec: '{}',
  status: '{}',
  ...more,
});

describe('the rules of deployments', () => {
  it('names a replica after its deployment and the whole name of its namespace', () => {
    expect(replicaName('d', 'a:b-c')).toMatch(/^d--b-c-[0-9a-f]{8}$/);
    expect(replicaName('d', 'a-b:c')).toMatch(/^d--c-[0-9a-f]{8}$/);
    expect(replicaName('d', 'a:c')).not.toBe(replicaName('d', 'b:c'));
  });

  it('select the labels as they are, and no inherited name', () => {
    const spec = create(DeploymentSpecSchema, { placement: { namespaceSelector: { matchLabels: { toString: 'x' } } } });
    const target = { name: 'acme:a', parent: 'acme', labels: {}, annotations: {}, isDeleted: false };
    expect(isSelected({ namespace: 'acme', name: 'd', spec }, target)).toBe(false);
  });

  it('let nobody who has a replica be pushed out of too large a selection', () => {
    expect(servedNames(['a', 'b', 'c'], new Set(['c']), 2)).toEqual(['c', 'a']);
    expect(servedNames(['a', 'b'], new Set(), 2)).toEqual(['a', 'b']);
    expect(servedNames(['a', 'b', 'c'], new Set(['b', 'c']), 1)).toEqual(['b', 'c']);
  });

  it('let a parent be placed in by its own subtree or by a grant that covers it', () => {
    const ancestorsOf = (name: string): readonly string[] => (name === 'other:x' ? ['other'] : []);
    const may = (parent: string, ...grants: { role: 'admin' | 'operator'; namespace?: string; agent?: string }[]) =>
      mayPlace({ namespace: 'acme', parent }, { grants, ancestorsOf });
    expect(may('acme')).toBe(true);
    expect(may('other:x', { role: 'admin', namespace: 'other' })).toBe(true);
    expect(may('other:x', { role: 'operator', namespace: 'other' })).toBe(false);
    expect(may('other:x', { role: 'admin', namespace: 'other', agent: 'a' })).toBe(false);
    expect(may('', { role: 'admin' })).toBe(true);
    expect(may('', { role: 'admin', namespace: 'acme' })).toBe(false);
  });

  it('tell a rendering by everything that enters it', () => {
    const version = renderingVersion(record(), [record(), undefined]);
    expect(renderingVersion(record({ version: 9, status: '{"a":1}' }), [record(), undefined])).toBe(version);
    for (const more of [{ generation: 3 }, { uid: 'x' }, { labels: { a: 'b' } }, { annotations: { a: 'b' } }])
      expect(renderingVersion(record(), [record(more), undefined])).not.toBe(version);
    expect(renderingVersion(record(), [record(), record()])).not.toBe(version);
  });
});

describe('the status of a deployment', () => {
  const standing = (phase: string | undefined, isUpdated = true): ReplicaStanding => ({
    phase,
    isUpdated,
    isRenderFailed: false,
  });

  it('counts every selected namespace once', () => {
    expect(
      countReplicas([
        standing('Ready'),
        standing('Ready', false),
        standing('Pending', false),
        standing('Degraded', false),
        standing(undefined),
      ]),
    ).toEqual({ desired: 5, updated: 1, ready: 1, pending: 3, degraded: 1 });
  });

  it('says in how many of the namespaces something failed, and whether it was the rendering', () => {
    const readyMessage = (standings: readonly ReplicaStanding[]): string | undefined =>
      judgeDeployment(
        record(),
        { standings, replicas: [], missingTemplates: [], templateVersions: [], replicasMax: 5_000 },
        1,
      ).conditions.find(({ type }) => type === 'Ready')?.message;
    const ready = Array.from({ length: 20 }, () => standing('Ready'));
    const failed: ReplicaStanding = { phase: 'Degraded', isUpdated: true, isRenderFailed: true };
    const degraded = standing('Degraded');
    expect(readyMessage([...ready, failed])).toBe('1 of 21 namespaces failed to render');
    expect(readyMessage([...ready, degraded])).toBe('1 of 21 namespaces is degraded');
    expect(readyMessage([...ready, degraded, degraded])).toBe('2 of 22 namespaces are degraded');
    expect(readyMessage([...ready, failed, degraded])).toBe(
      '1 of 22 namespaces failed to render, 1 is degraded otherwise',
    );
    expect(readyMessage([...ready, standing('Pending', false)])).toBe('1 of 21 namespaces is pending');
  });

  it('says when the selection is larger than it can be', () => {
    const standings = Array.from({ length: defaultDeploymentLimits.replicas + 1 }, (_, index) =>
      index < defaultDeploymentLimits.replicas ? standing('Ready') : standing(undefined),
    );
    const facts = { standings, replicas: [], missingTemplates: [], templateVersions: [7, 12], replicasMax: 5_000 };
    const status = judgeDeployment(record(), facts, 1);
    expect(status.templateVersions).toEqual(['7', '12']);
    expect(status.phase).toBe('Pending');
    expect(status.conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      'Ready False Pending',
      'Selected False TooManyNamespaces',
      'TemplatesResolved True Resolved',
      'Rendered Unknown Pending',
    ]);
    expect(status.observedGeneration).toBe(2n);
  });
});

it('only a refusal that lies in the write is told; everything else is thrown', () => {
  const told = new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'no');
  expect(refusalOf(told)).toBe(told);
  for (const lost of [
    new Fault('ABORTED', 'CONFLICT', 'x'),
    new Fault('FAILED_PRECONDITION', 'NAMESPACE_DELETED', 'x'),
  ])
    expect(() => refusalOf(lost)).toThrow(ConcurrentChange);
  for (const broken of [new Error('disk'), new Fault('UNAVAILABLE', 'STORAGE', 'x')])
    expect(() => refusalOf(broken)).toThrow(broken);
});
