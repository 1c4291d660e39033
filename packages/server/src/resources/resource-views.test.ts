import { create } from '@bufbuild/protobuf';
import { type Agent, AgentSchema, AgentSpecSchema, NamespaceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import type { StoredResource } from '../store/contracts/index.ts';
import { canonicalJson, mergePatch, parseJsonMap } from './canonical-json.ts';
import { settleConditions, withReady } from './conditions.ts';
import * as faults from './faults.ts';
import { applyFieldMask, isFieldPath } from './field-mask.ts';
import { fillPage } from './page-fill.ts';
import { type ResourceRecord, recordKey } from './record.ts';
import { messageFromText, messageText, ownerMessage, ownerRecord, statusWithActivity } from './resource-codec.ts';
import { deepFreeze, ResourceViews, SpecReader } from './resource-views.ts';
import { dropInternals, hasSensitiveFields, keepSensitive, maskSpec, maskStatus } from './sensitive/index.ts';

const record = (more: Partial<StoredResource> = {}): StoredResource => ({
  key: recordKey('Agent', 'default', 'helper'),
  ...{ apiVersion: 'svc/v1', uid: 'u1', generation: 2, version: 7, createdAt: 1, updatedAt: 2 },
  ...{ labels: { a: 'b', 'svc/~x': 'y' }, annotations: {}, owners: [], finalizers: ['x/y'] },
  spec: '{"systemPrompt":"Help.","runtime":{"acp":{"env":{"K":"v"}}},"unknownLater":1}',
  status: '{"phase":"Ready"}',
  ...more,
});

describe('views of records', () => {
  it('are built once per version, activity and right, and are frozen', () => {
    const views = new ResourceViews();
    const first = views.full(AgentSchema, record(), { secrets: true });
    expect(views.full(AgentSchema, record(), { secrets: true })).toBe(first);
    expect(first).toMatchObject({ metadata: { labels: { a: 'b' }, resourceVersion: '7', generation: 2n } });
    expect(Object.isFrozen(first.spec)).toBe(true);
    expect(views.full(AgentSchema, record({ version: 8 }), { secrets: true })).not.toBe(first);
    const active = views.full(AgentSchema, record(), { secrets: true, activity: '{"lastSessionId":"s"}' });
    expect(active.status?.lastSessionId).toBe('s');
    const masked: Agent = views.full(AgentSchema, record(), { secrets: false });
    expect(masked.spec?.runtime?.acp?.env).toEqual({ K: '' });
  });

  it('read in passing are kept once the same version is read again, and found when somebody else had them made', () => {
    const views = new ResourceViews();
    const passing = { secrets: true, isPassing: true };
    const first = views.generic(record(), passing);
    expect(Object.isFrozen(first)).toBe(false);
    expect(views.generic(record({ version: 8 }), passing)).not.toBe(first);
    const kept = views.generic(record({ version: 8 }), passing);
    expect(Object.isFrozen(kept.spec?.kind.value)).toBe(true);
    expect(views.generic(record({ version: 8 }), passing)).toBe(kept);
    expect(kept.metadata).toMatchObject({ resourceVersion: '8' });
    const asked = views.generic(record({ uid: 'u2' }), { secrets: true });
    expect(views.generic(record({ uid: 'u2' }), passing)).toBe(asked);
  });

  it('are generic for every kind and raw for custom ones', () => {
    const views = new ResourceViews();
    const generic = views.generic(record(), { secrets: true });
    expect(views.generic(record(), { secrets: true })).toBe(generic);
    expect(generic.spec?.kind.case).toBe('agent');
    const custom = record({ apiVersion: 'example.org/v1', key: recordKey('Thing', 'default', 't'), spec: '{"x":1}' });
    expect(views.generic(custom, { secrets: true }).spec?.kind).toMatchObject({
      case: 'raw',
      value: { json: '{"x":1}' },
    });
  });

  it('of metadata alone leave the rest out', () => {
    const views = new ResourceViews();
    const options = { secrets: true, metadataOnly: true };
    expect(views.full(AgentSchema, record({ deletionTimestamp: 5 }), options)).toMatchObject({
      metadata: { name: 'helper', deletionTimestamp: 5n },
    });
    expect(views.full(AgentSchema, record(), options).spec).toBeUndefined();
    expect(views.generic(record(), options).spec).toBeUndefined();
  });

  it('refuse the schema of another kind', () => {
    expect(() => new ResourceViews().full(NamespaceSchema, record(), { secrets: true })).toThrow('is no');
  });

  it('survive a status that is no object', () => {
    const views = new ResourceViews();
    expect(views.full(AgentSchema, record({ status: 'x', spec: 'y' }), { secrets: true }).status?.phase).toBe('');
  });
});

it('specs are read once per text', () => {
  const reader = new SpecReader();
  const first = reader.read(AgentSpecSchema, record());
  expect(reader.read(AgentSpecSchema, record({ version: 9 }))).toBe(first);
  expect(reader.read(AgentSpecSchema, record({ spec: '{}' })).systemPrompt).toBe('');
  expect(reader.read(AgentSpecSchema, record({ uid: 'u2', spec: 'no json' })).systemPrompt).toBe('');
});

it('freezing goes deep and leaves bytes alone', () => {
  const value = deepFreeze({ list: [{ a: 1 }], bytes: new Uint8Array(2), nothing: null });
  expect([Object.isFrozen(value.list[0]), Object.isFrozen(value.bytes)]).toEqual([true, false]);
});

it('stored texts do not depend on the order of maps', () => {
  const text = (env: Record<string, string>): string =>
    messageText(AgentSpecSchema, create(AgentSpecSchema, { runtime: { acp: { env } } }));
  expect(text({ b: '1', a: '2' })).toBe(text({ a: '2', b: '1' }));
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: true })).toBe('{"a":true,"b":[{"c":null,"d":1}]}');
});

it('stored texts are read whatever newer releases added', () => {
  expect(messageFromText(AgentSpecSchema, '{"systemPrompt":"x","later":1}')).toMatchObject({ systemPrompt: 'x' });
  expect(statusWithActivity('broken', '{"phase":"Idle"}')).toEqual({ phase: 'Idle' });
});

it('owners keep all their facts', () => {
  const owner = {
    ...{ apiVersion: 'svc/v1', kind: 'Agent', namespace: 'n', name: 'a', uid: 'u' },
    ...{ controller: true, blockOwnerDeletion: false },
  };
  expect(ownerRecord(ownerMessage(owner))).toEqual(owner);
});

it('patches replace, merge and remove', () => {
  expect(mergePatch({ a: 1, b: { c: 1, d: 2 }, l: [1] }, { a: null, b: { c: 3 }, l: [2], n: { x: null } })).toEqual({
    b: { c: 3, d: 2 },
    l: [2],
    n: {},
  });
  expect(mergePatch(1, { a: 2 })).toEqual({ a: 2 });
  expect([parseJsonMap('{'), parseJsonMap('[]'), parseJsonMap('null')]).toEqual([undefined, undefined, undefined]);
});

describe('field masks', () => {
  const forms = {
    current: { systemPrompt: 'a', capabilities: { x: [1], y: [2] } },
    wanted: { capabilities: { x: [3] } },
  };

  it('replace exactly what they name, through maps by key', () => {
    const apply = (...paths: string[]) => applyFieldMask(AgentSpecSchema, forms, paths);
    expect(apply('system_prompt')).toEqual({ capabilities: { x: [1], y: [2] } });
    expect(apply('capabilities')).toEqual({ systemPrompt: 'a', capabilities: { x: [3] } });
    expect(apply('capabilities.x')).toEqual({ systemPrompt: 'a', capabilities: { x: [3], y: [2] } });
    expect(apply('capabilities.y')).toEqual({ systemPrompt: 'a', capabilities: { x: [1] } });
    expect(apply('runtime.acp.command')).toEqual(forms.current);
    expect(apply('nothing')).toEqual(forms.current);
  });

  it('know which paths there are', () => {
    expect(
      ['systemPrompt', 'system_prompt', 'runtime.acp.env.KEY', 'a2a'].every((path) =>
        isFieldPath(AgentSpecSchema, path),
      ),
    ).toBe(true);
    expect(['', 'x', 'features.name', 'systemPrompt.x'].some((path) => isFieldPath(AgentSpecSchema, path))).toBe(false);
  });
});

describe('conditions', () => {
  it('move their time only with their status', () => {
    const at = (now: number) => ({ now, generation: 1 });
    const first = settleConditions([], [{ type: 'A', status: 'True', reason: 'X' }], at(10));
    const reworded = settleConditions(first, [{ type: 'A', status: 'True', reason: 'Y', message: 'new' }], at(20));
    expect(reworded[0]).toMatchObject({ lastTransitionTime: 10n, message: 'new', reason: 'Y' });
    expect(
      settleConditions(reworded, [{ type: 'A', status: 'False', reason: 'Z' }], at(30))[0]?.lastTransitionTime,
    ).toBe(30n);
  });

  it('are summed up by Ready', () => {
    const ready = (status: 'Unknown' | 'False') =>
      withReady({ phase: 'Ready', findings: [{ type: 'A', status, reason: 'X' }] })[0];
    expect(ready('Unknown')?.status).toBe('True');
    expect(ready('False')).toMatchObject({ status: 'False', reason: 'X' });
  });
});

describe('sensitive fields', () => {
  it('are hidden, references of class C excepted', () => {
    expect(maskSpec('Secret', { data: { a: 'eA==', b: 'secret://x/y' } })).toEqual({ data: { a: '', b: '' } });
    expect(maskSpec('McpServer', { headers: { a: 'x', b: 'secret://s/k' }, target: 't' })).toEqual({
      headers: { a: '', b: 'secret://s/k' },
      target: 't',
    });
    expect(maskSpec('ConnectorClass', { auth: { apiKey: { plain: 'x' } } })).toEqual({
      auth: { apiKey: { plain: '' } },
    });
    expect(maskSpec('ConnectorClass', { auth: 'odd' })).toEqual({ auth: 'odd' });
    expect(maskSpec('SandboxClass', { credentialsJson: '{"k":"v","list":["x",1]}' })).toEqual({
      credentialsJson: '{"k":"","list":["",1]}',
    });
    expect(maskSpec('SandboxClass', { credentialsJson: 'no json', providerConfigJson: 7 })).toEqual({
      credentialsJson: '{}',
      providerConfigJson: '{}',
    });
    expect(maskSpec('Skill', { description: 'x' })).toEqual({ description: 'x' });
    expect(maskSpec('McpServer', { headers: { a: 1 } })).toEqual({ headers: { a: 1 } });
    expect(maskStatus('File', { pendingUpload: { requiredHeaders: { h: 'x' } } })).toEqual({
      pendingUpload: { requiredHeaders: { h: '' } },
    });
    expect(maskStatus('Skill', { a: 1 })).toEqual({ a: 1 });
  });

  it('of class F are dropped for everybody', () => {
    expect(dropInternals('Sandbox', { lease: { token: 't', ownerKind: 'x' } })).toEqual({ lease: { ownerKind: 'x' } });
    expect(dropInternals('Skill', { a: 1 })).toEqual({ a: 1 });
  });

  it('inside templates are hidden like those of the kind they hold', () => {
    const specJson = '{"headers":{"a":"x"}}';
    expect(maskSpec('Template', { kind: 'McpServer', specJson })).toEqual({
      kind: 'McpServer',
      specJson: '{"headers":{"a":""}}',
    });
    for (const spec of [
      { kind: 'Skill', specJson },
      { specJson },
      { kind: 'McpServer', specJson: 'x' },
      { kind: 'McpServer' },
    ])
      expect(maskSpec('Template', spec)).toEqual(spec);
    const stored = { kind: 'McpServer', specJson };
    expect(keepSensitive('Template', stored, { kind: 'McpServer', specJson: '{"headers":{"a":"","b":"y"}}' })).toEqual({
      kind: 'McpServer',
      specJson: '{"headers":{"a":"x","b":"y"}}',
    });
    for (const [before, after] of [
      [{}, stored],
      [stored, {}],
      [stored, { specJson }],
    ] as const)
      expect(keepSensitive('Template', before, after)).toEqual(after);
  });

  it('keep their stored value when written back empty, and go when left out', () => {
    const stored = { headers: { a: 'x', b: 'y' } };
    expect(keepSensitive('McpServer', stored, { headers: { a: '', c: '' } })).toEqual({ headers: { a: 'x', c: '' } });
    expect(keepSensitive('McpServer', {}, { headers: { a: '' } })).toEqual({ headers: { a: '' } });
    expect(keepSensitive('Skill', {}, { a: '' })).toEqual({ a: '' });
    expect(keepSensitive('Agent', { runtime: 'odd' }, { runtime: {} })).toEqual({ runtime: {} });
    expect(['File', 'Sandbox', 'Secret', 'Template', 'Skill'].map(hasSensitiveFields)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    const nested = { credentialsJson: '{"k":"v","l":[{"m":"n"}],"o":"p"}' };
    expect(
      keepSensitive('SandboxClass', nested, { credentialsJson: '{"k":"","l":[{"m":""},{"m":""}],"o":7}' }),
    ).toEqual({
      credentialsJson: '{"k":"v","l":[{"m":"n"},{"m":""}],"o":7}',
    });
    expect(keepSensitive('SandboxClass', nested, { credentialsJson: '' })).toEqual(nested);
    expect(keepSensitive('SandboxClass', nested, { credentialsJson: '{"k":{"x":""},"l":{"0":""},"z":[""]}' })).toEqual({
      credentialsJson: '{"k":{"x":""},"l":{"0":""},"z":[""]}',
    });
  });
});

describe('pages', () => {
  const rows: readonly ResourceRecord[] = Array.from({ length: 10 }, (_, index) =>
    record({ key: recordKey('Agent', 'n', `a${index}`), spec: 'x'.repeat(1_000) }),
  );
  const read = async (after: ResourceRecord['key'] | undefined, limit: number): Promise<readonly ResourceRecord[]> => {
    const start = after === undefined ? 0 : rows.findIndex((row) => row.key.name === after.name) + 1;
    return rows.slice(start, start + limit);
  };
  const names = async (more: object): Promise<readonly [string, string | undefined]> => {
    const page = await fillPage({ size: 4, bytes: 1e6, after: undefined, read, ...more });
    return [page.rows.map((row) => row.key.name).join(), page.next?.name];
  };

  it('are full, or end with the list', async () => {
    expect(await names({})).toEqual(['a0,a1,a2,a3', 'a3']);
    expect(await names({ after: rows[7]?.key })).toEqual(['a8,a9', undefined]);
    expect(await names({ size: 10 })).toEqual(['a0,a1,a2,a3,a4,a5,a6,a7,a8,a9', undefined]);
  });

  it('are cut short by bytes but hold at least one row', async () => {
    expect(await names({ bytes: 3_000 })).toEqual(['a0,a1', 'a1']);
    expect(await names({ bytes: 1 })).toEqual(['a0', 'a0']);
    expect(await names({ bytes: 2_400, metadataOnly: true })).toEqual(['a0,a1,a2,a3', 'a3']);
    expect(await names({ bytes: 1, metadataOnly: true })).toEqual(['a0', 'a0']);
  });

  it('read on past rows that are not shown', async () => {
    const keep = (row: ResourceRecord): boolean => Number(row.key.name.slice(1)) % 3 === 0;
    expect(await names({ keep })).toEqual(['a0,a3,a6,a9', undefined]);
    expect(await names({ keep, size: 3 })).toEqual(['a0,a3,a6', 'a6']);
  });
});

it('faults name what they are about', () => {
  const key = { kind: 'McpServer', namespace: 'n', parent: 'p', name: 'x' };
  expect(faults.resourceNotFound(key)).toMatchObject({
    reason: 'MCP_SERVER_NOT_FOUND',
    metadata: { ns: 'n', parent: 'p' },
  });
  expect(faults.resourceExists({ ...key, kind: 'Namespace', parent: '' })).toMatchObject({
    reason: 'NAMESPACE_EXISTS',
    metadata: { name: 'x' },
  });
  expect(faults.versionConflict(key, 9).metadata['current']).toBe('9');
  expect(faults.resourceDeleting(key).reason).toBe('RESOURCE_DELETING');
  expect(faults.namespaceMissing('n').reason).toBe('NAMESPACE_MISSING');
  expect(faults.namespaceDeleted('n').reason).toBe('NAMESPACE_DELETED');
});
