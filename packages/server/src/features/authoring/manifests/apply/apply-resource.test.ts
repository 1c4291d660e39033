import { create } from '@bufbuild/protobuf';
import {
  ApplyOutcome,
  type ApplyResourceResponse,
  GatewayService,
  type ResourceResponse,
  ResourceService,
} from '@svc/api/gateway';
import {
  type ResourceManifest,
  ResourceManifestSchema,
  type ResourceSpec,
  SessionSpecSchema,
} from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceKey, recordKey } from '../../../../resources/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import { type AuthoringWorld, openAuthoringWorld } from '../../../testing/index.ts';

const { applyManifests, applyResource, getResource } = ResourceService.method;
const { createAgent, createNamespace, deleteNamespace } = GatewayService.method;

describe('applying one resource', () => {
  let world: AuthoringWorld;
  beforeEach(async () => {
    world = await openAuthoringWorld();
  });
  afterEach(() => world.close());

  const manifest = (init: object): ResourceManifest => create(ResourceManifestSchema, init as never);
  const spec = (member: string, value: object): Pick<ResourceSpec, 'kind'> =>
    ({ kind: { case: member, value } }) as never;
  const apply = (request: object): Promise<ApplyResourceResponse> =>
    world.call(applyResource, { ns: 'default', ...request } as never);
  const agent = (systemPrompt: string, more: object = {}): object => ({
    kind: 'Agent',
    name: 'a',
    manifest: manifest({ kind: 'Agent', spec: spec('agent', { systemPrompt }), ...more }),
  });
  const stored = (kind: string, name: string, ns = 'default'): Promise<StoredResource | undefined> =>
    world.store.direct.resources.get(recordKey(kind, ns, name));

  it('creates, replaces, and writes nothing for what is the same', async () => {
    const metadata = { labels: { x: '1' }, annotations: { y: '2' } };
    const first = await apply(agent('one', { metadata }));
    expect(first.outcome).toBe(ApplyOutcome.CREATED);
    expect(first.changedPaths).toEqual(
      expect.arrayContaining(['/metadata/labels/x', '/metadata/annotations/y', '/spec/systemPrompt']),
    );
    const again = await apply(agent('one', { metadata }));
    expect([again.outcome, again.changedPaths]).toEqual([ApplyOutcome.UNCHANGED, []]);
    expect(again.resource?.metadata?.resourceVersion).toBe(first.resource?.metadata?.resourceVersion);
    const second = await apply(agent('two', { metadata: { labels: { x: '3' } } }));
    expect(second.outcome).toBe(ApplyOutcome.UPDATED);
    expect(second.changedPaths).toEqual(['/metadata/annotations/y', '/metadata/labels/x', '/spec/systemPrompt']);
    expect(second.resource?.metadata?.generation).toBe(2n);
    expect(second.resource?.metadata?.annotations).toEqual({});
  });

  it('tells in a dry run what would happen, and changes nothing', async () => {
    const { newest } = await world.store.direct.resources.versionRange();
    const rehearsed = await apply({ ...agent('one'), dryRun: true });
    expect(rehearsed).toMatchObject({ outcome: ApplyOutcome.CREATED, fieldErrors: [] });
    expect(rehearsed.resource?.metadata?.name).toBe('a');
    expect(await stored('Agent', 'a')).toBeUndefined();
    expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
    await apply(agent('real'));
    await apply({ ...agent('dream'), dryRun: true });
    const changed = await apply(agent('other'));
    const read = (await world.call(getResource, { ns: 'default', kind: 'Agent', name: 'a' })) as ApplyResourceResponse;
    expect(read.resource).toEqual(changed.resource);
    expect(read.resource?.spec?.kind.value).toMatchObject({ systemPrompt: 'other' });
  });

  it('lists in a dry run the faults that a real call would answer', async () => {
    const bad = agent('{{ bad }}', { metadata: { labels: { '!': '' } } });
    const failure = await apply(bad).then(
      () => undefined,
      (error: unknown) => error as { readonly code: string; readonly violations: readonly object[] },
    );
    expect(failure?.code).toBe('INVALID_ARGUMENT');
    const rehearsed = await apply({ ...bad, dryRun: true });
    expect(rehearsed.outcome).toBe(ApplyOutcome.FAILED);
    expect(rehearsed.fieldErrors.map(({ field, reason }) => ({ field, reason }))).toEqual(
      failure?.violations.map((item) => {
        const { field, reason } = item as { readonly field: string; readonly reason: string };
        return { field, reason };
      }),
    );
    const missing = await apply({ ...agent('x'), ns: 'none', dryRun: true });
    expect(missing.fieldErrors).toMatchObject([{ field: '', reason: 'NAMESPACE_MISSING' }]);
  });

  it.each([
    [{ kind: 'Worker', name: 'w' }, 'kind', 'KIND_READ_ONLY'],
    [{ kind: 'DeploymentReplica', name: 'w' }, 'kind', 'KIND_READ_ONLY'],
    [{ kind: 'Agents', name: 'a' }, 'kind', 'UNKNOWN_KIND'],
    [{ kind: 'Agent', name: 'a', manifest: { kind: 'Skill' } }, 'kind', 'PATH_BODY_MISMATCH'],
    [{ kind: 'Agent', name: 'a', manifest: { metadata: { name: 'b' } } }, 'metadata.name', 'PATH_BODY_MISMATCH'],
    [
      { kind: 'Agent', name: 'a', manifest: { metadata: { namespace: 'b' } } },
      'metadata.namespace',
      'PATH_BODY_MISMATCH',
    ],
    [{ kind: 'Agent', name: 'a', manifest: { apiVersion: 'x' } }, 'apiVersion', 'API_VERSION'],
    [{ kind: 'Agent', name: 'a', manifest: { apiVersion: 'example.org/v1' } }, 'apiVersion', 'API_VERSION'],
    [{ kind: 'a-b', name: 'a', manifest: { apiVersion: 'example.org/v1' } }, 'kind', 'FIELD_INVALID'],
    [{ kind: 'Agent', name: 'a', manifest: { spec: { kind: { case: 'skill', value: {} } } } }, 'spec', 'SPEC_KIND'],
    [{ kind: 'ChannelSubscription', name: 's' }, 'spec.channel', 'FIELD_INVALID'],
    [
      {
        kind: 'ChannelSubscription',
        name: 's',
        parent: 'c',
        manifest: { spec: { kind: { case: 'channelSubscription', value: { channel: 'd' } } } },
      },
      'spec.channel',
      'PATH_BODY_MISMATCH',
    ],
    [{ kind: 'Namespace', name: 'x' }, 'ns', 'PATH_BODY_MISMATCH'],
    [
      {
        kind: 'Widget',
        name: 'w',
        manifest: { apiVersion: 'example.org/v1', spec: { kind: { case: 'raw', value: { json: '[]' } } } },
      },
      'spec',
      'FIELD_INVALID',
    ],
  ])('refuses %j', async (request, field, reason) => {
    const { manifest: init, ...rest } = request as { readonly manifest?: object };
    const call = apply({ ...rest, ...(init === undefined ? {} : { manifest: manifest(init) }) });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ field, reason }] });
  });

  it('keeps custom kinds as canonical JSON under their own version', async () => {
    const widget = (json: string, apiVersion = 'example.org/v1'): object => ({
      kind: 'Widget',
      name: 'w',
      manifest: manifest({ apiVersion, kind: 'Widget', spec: spec('raw', { json }) }),
    });
    const made = await apply(widget('{"b": 1, "a": {"c": [2]}}'));
    expect(made.resource).toMatchObject({ apiVersion: 'example.org/v1', kind: 'Widget' });
    expect(made.resource?.spec?.kind.value).toMatchObject({ json: '{"a":{"c":[2]},"b":1}' });
    expect((await apply(widget('{"a":{"c":[2]},"b":1}'))).outcome).toBe(ApplyOutcome.UNCHANGED);
    await expect(apply(widget('{}', 'example.org/v2'))).rejects.toMatchObject({
      violations: [{ field: 'apiVersion', reason: 'API_VERSION' }],
    });
    const empty = { kind: 'Widget', name: 'e', manifest: manifest({ apiVersion: 'example.org/v1' }) };
    expect((await apply(empty)).resource?.spec?.kind.value).toMatchObject({ json: '{}' });
  });

  it.each(['constructor', 'toString', 'valueOf'])('keeps custom kinds of any name, such as %s', async (kind) => {
    const thing = {
      kind,
      name: 'w',
      manifest: manifest({ apiVersion: 'example.org/v1', spec: spec('raw', { json: '{"a":1}' }) }),
    };
    expect((await apply(thing)).outcome).toBe(ApplyOutcome.CREATED);
    expect((await apply(thing)).outcome).toBe(ApplyOutcome.UNCHANGED);
    const read = { ns: 'default', kind, name: 'w' };
    const { resource }: ResourceResponse = await world.call(getResource, read);
    expect(resource?.spec?.kind.value).toMatchObject({ json: '{"a":1}' });
  });

  describe('owners and finalizers', () => {
    const skill = (metadata: object): object => ({
      kind: 'Skill',
      name: 's',
      manifest: manifest({ metadata, spec: spec('skill', { description: 'd' }) }),
    });
    const owner = async (name: string): Promise<object> => {
      await world.call(createAgent, { ns: 'default', name });
      const uid = (await stored('Agent', name))?.uid;
      return { kind: 'Agent', name, uid };
    };

    it('are added without a version, and replaced with one', async () => {
      const [one, two] = [await owner('one'), await owner('two')];
      await apply(skill({ ownerReferences: [one], finalizers: ['example.org/a'] }));
      await apply(skill({ ownerReferences: [two], finalizers: ['example.org/b'] }));
      const both = await stored('Skill', 's');
      expect(both?.owners.map(({ name, namespace, apiVersion }) => [name, namespace, apiVersion])).toEqual([
        ['one', 'default', 'svc/v1'],
        ['two', 'default', 'svc/v1'],
      ]);
      expect(both?.finalizers).toEqual(['example.org/a', 'example.org/b']);
      expect((await apply(skill({ ownerReferences: [one] }))).outcome).toBe(ApplyOutcome.UNCHANGED);
      await apply(skill({ ownerReferences: [two], resourceVersion: String(both?.version) }));
      const replaced = await stored('Skill', 's');
      expect([replaced?.owners.map((item) => item.name), replaced?.finalizers]).toEqual([['two'], []]);
    });

    it('leave finalizers of the system to their controllers', async () => {
      await expect(apply(skill({ finalizers: ['svc/x'] }))).rejects.toMatchObject({
        violations: [{ field: 'metadata.finalizers' }],
      });
    });
  });

  it('refuses a stale version', async () => {
    await apply(agent('one'));
    await expect(apply(agent('two', { metadata: { resourceVersion: '1' } }))).rejects.toMatchObject({
      code: 'ABORTED',
      reason: 'CONFLICT',
    });
  });

  describe('namespaces', () => {
    const namespace = (name: string, more: object = {}): object => ({
      ns: name,
      kind: 'Namespace',
      name,
      manifest: manifest(more),
    });

    it('are created where they are missing, only when that is asked for', async () => {
      await expect(apply({ ...agent('x'), ns: 'acme:team' })).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
      await apply({ ...agent('x'), ns: 'acme:team', createNamespace: true });
      expect(await stored('Agent', 'a', 'acme:team')).toBeDefined();
      expect(await world.store.direct.resources.get(namespaceKey('acme'))).toBeDefined();
    });

    it('that no namespace can be called are a fault of what names them', async () => {
      const violations = (field: string) => ({ violations: [{ field, reason: 'FIELD_INVALID' }] });
      const created = { ...agent('x'), ns: '-bad', createNamespace: true };
      await expect(apply(created)).rejects.toMatchObject(violations('ns'));
      const named = { kind: 'Agent', metadata: { name: 'a', namespace: '-bad' }, spec: spec('agent', {}) };
      const documents = { ns: 'default', manifests: [manifest(named)] };
      await expect(world.call(applyManifests, documents as never)).rejects.toMatchObject(
        violations('manifests[0].metadata.namespace'),
      );
    });

    it('are not created for callers whose grants do not cover them', async () => {
      const grants = [{ role: 'admin', namespace: 'acme:team', readSecrets: false }] as const;
      const caller = { identity: 'x', subject: 'x', mode: 'api-key', grants } as never;
      const request = { ns: 'acme:team', ...agent('x'), createNamespace: true };
      await expect(world.call(applyResource, request as never, caller)).rejects.toMatchObject({ reason: 'SCOPE' });
    });

    it('are not revived by the way', async () => {
      await world.call(createNamespace, { name: 'gone' });
      await world.call(deleteNamespace, { name: 'gone' });
      for (const request of [{ ...agent('x'), ns: 'gone', createNamespace: true }, namespace('gone')])
        await expect(apply(request)).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    });

    it('may lose labels, and keep a parent that the manifest leaves out', async () => {
      await world.call(createNamespace, { name: 'acme' });
      const parented = { spec: spec('namespace', { parent: 'acme' }), metadata: { labels: { a: 'b' } } };
      await apply(namespace('child', parented));
      const again = await apply(namespace('child'));
      expect(again.resource?.metadata?.labels).toEqual({});
      expect(again.resource?.spec?.kind.value).toMatchObject({ parent: 'acme' });
      await expect(apply(namespace('child', { spec: spec('namespace', { parent: 'default' }) }))).rejects.toMatchObject(
        { code: 'INVALID_ARGUMENT' },
      );
      await apply({ ...namespace('deep:a:b'), createNamespace: true });
      expect(await world.store.direct.resources.get(namespaceKey('deep:a'))).toBeDefined();
      const kid = namespace('kid', { spec: spec('namespace', { parent: 'mother:b' }) });
      await expect(apply(kid)).rejects.toMatchObject({ reason: 'PARENT_MISSING' });
      await apply({ ...kid, createNamespace: true });
      expect(await world.store.direct.resources.get(namespaceKey('mother:b'))).toBeDefined();
      await expect(apply(namespace('lost:a'))).rejects.toMatchObject({ reason: 'PARENT_MISSING' });
    });
  });

  it('changes only labels and annotations of a session', async () => {
    await world.call(createAgent, { ns: 'default', name: 'a' });
    const key = { kind: 'Session', namespace: 'default', parent: 'a', name: 's1' };
    await world.store.write(async (tx) =>
      world.writer.create(
        tx,
        { requestId: '', operation: 'x', caller: { identity: 'x' } },
        {
          key,
          spec: create(SessionSpecSchema, { agent: 'a' }),
        },
      ),
    );
    const session = (init: object): object => ({ kind: 'Session', name: 's1', parent: 'a', manifest: manifest(init) });
    const labelled = await apply(session({ metadata: { labels: { x: 'y' } }, spec: spec('session', { agent: 'a' }) }));
    expect(labelled.resource?.metadata?.labels).toEqual({ x: 'y' });
    await expect(apply(session({ spec: spec('session', { agent: 'a', labels: { q: 'r' } }) }))).rejects.toMatchObject({
      reason: 'KIND_READ_ONLY',
    });
    await expect(apply({ ...session({}), name: 's2' })).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
  });
});
