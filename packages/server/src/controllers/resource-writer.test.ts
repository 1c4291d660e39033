import { create } from '@bufbuild/protobuf';
import { CommonResourceStatusSchema, RawResourceSpecSchema, SkillSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { recordKey } from '../resources/index.ts';
import type { StoredResource } from '../store/contracts/index.ts';
import { kindContract, type WriteInput, type WriteResult } from './contract.ts';

const key = recordKey('Skill', 'default', 'one');
const spec = (description: string) => create(SkillSpecSchema, { description });

describe('the write pipeline', () => {
  let world: ResourceWorld;
  let applied: string[];

  beforeEach(async () => {
    applied = [];
    const skills = kindContract<ReturnType<typeof spec>>({
      kind: 'Skill',
      defaults: (given) =>
        given.instructions === '' ? create(SkillSpecSchema, { ...given, instructions: 'none' }) : given,
      validate: (write) =>
        write.spec.description === 'bad' ? [{ field: 'spec.description', description: 'is bad', reason: 'BAD' }] : [],
      applied: async (_tx, write) => void applied.push(write.spec.description),
    });
    world = await openResourceWorld({ contracts: () => [skills] });
  });
  afterEach(() => world.close());

  const put = (input: Partial<WriteInput>): Promise<WriteResult> =>
    world.store.write((tx) => world.writer.put(tx, callContext('test'), { key, ...input }));
  const stored = (): Promise<StoredResource | undefined> => world.store.direct.resources.get(key);

  it('creates, updates, and leaves alone what is the same', async () => {
    expect((await put({ spec: spec('a') })).outcome).toBe('created');
    expect((await put({ spec: spec('a') })).outcome).toBe('unchanged');
    const updated = await put({ spec: spec('b'), labels: { x: 'y' } });
    expect([updated.outcome, updated.resource.generation, updated.resource.spec]).toEqual([
      'updated',
      2,
      '{"description":"b","instructions":"none"}',
    ]);
    expect((await put({})).resource).toMatchObject({ labels: {}, generation: 2 });
    expect(applied).toEqual(['a', 'b', 'b']);
  });

  it('keeps what a newer release wrote, in spec and status (PL-16)', async () => {
    const skill = (await put({ spec: spec('a') })).resource;
    const newer = {
      ...skill,
      spec: '{"description":"a","instructions":"none","newer":1}',
      status: '{"newer":2,"phase":"Ready"}',
    };
    await world.store.write((tx) => tx.resources.replace(newer, skill.version, ['spec', 'status']));
    const labelled = await put({ labels: { x: 'y' } });
    expect(labelled.resource).toMatchObject({ spec: newer.spec, generation: 1 });
    expect((await put({ spec: spec('a'), labels: { x: 'y' } })).outcome).toBe('unchanged');
    const changed = await put({ spec: spec('b') });
    expect(changed.resource).toMatchObject({
      spec: '{"description":"b","instructions":"none","newer":1}',
      generation: 2,
    });
    const status = create(CommonResourceStatusSchema, { phase: 'Odd' });
    await world.store.write((tx) => world.writer.writeStatus(tx, key, () => ({ status })));
    expect((await stored())?.status).toBe('{"newer":2,"phase":"Odd"}');
  });

  it('moves only the version when a status is written, and nothing for the same status', async () => {
    await put({ spec: spec('a') });
    const before = await stored();
    const change = (): object => ({ system: { annotations: { 'svc/x': 'y' } } });
    const after = await world.store.write((tx) => world.writer.writeStatus(tx, key, change));
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    expect(after?.generation).toBe(before?.generation);
    expect(await world.store.write((tx) => world.writer.writeStatus(tx, key, change))).toEqual(after);
    expect(await world.store.write((tx) => world.writer.writeStatus(tx, key, () => undefined))).toEqual(after);
    const missing = recordKey('Skill', 'default', 'none');
    expect(await world.store.write((tx) => world.writer.writeStatus(tx, missing, change))).toBeUndefined();
  });

  it('refuses with all faults at once and leaves no trace', async () => {
    const bad = put({ spec: spec('bad'), labels: { '': '' }, owners: [] });
    await expect(bad).rejects.toMatchObject({
      violations: [{ field: 'metadata.labels[]' }, { field: 'spec.description', reason: 'BAD' }],
    });
    await expect(put({ spec: spec('x'.repeat(1_100_000)) })).rejects.toMatchObject({ violations: [{ field: 'spec' }] });
    const half = put({ spec: spec('half \ud83d') });
    await expect(half).rejects.toMatchObject({ violations: [{ field: 'spec', reason: 'FIELD_INVALID' }] });
    expect(await stored()).toBeUndefined();
  });

  it('names faulty fields of a change before a stale version, and only the absence of what is gone', async () => {
    await put({ spec: spec('a') });
    const modify = (change: string, more: object) =>
      world.store.write((tx) =>
        world.writer.modify(tx, callContext('test'), { key, change: () => ({ spec: spec(change) }), ...more }),
      );
    const stale = { resourceVersion: '1' };
    await expect(modify('bad', stale)).rejects.toMatchObject({ violations: [{ reason: 'BAD' }] });
    await expect(modify('b', stale)).rejects.toMatchObject({ reason: 'CONFLICT' });
    const missing = { key: recordKey('Skill', 'default', 'none') };
    await expect(modify('bad', missing)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses owners elsewhere and conditional writes of what is not there', async () => {
    const owner = {
      apiVersion: 'svc/v1',
      kind: 'Skill',
      name: 'x',
      uid: 'u',
      controller: false,
      blockOwnerDeletion: false,
    };
    await expect(put({ spec: spec('a'), owners: [{ ...owner, namespace: 'system' }] })).rejects.toMatchObject({
      violations: [{ reason: 'OWNER_REFERENCE' }],
    });
    await expect(put({ spec: spec('a'), resourceVersion: '1' })).rejects.toMatchObject({ reason: 'SKILL_NOT_FOUND' });
    await put({ spec: spec('a') });
    await expect(put({ spec: spec('b'), resourceVersion: '1' })).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  it('undoes everything of a transaction that fails later', async () => {
    const failing = world.store.write(async (tx) => {
      await world.writer.put(tx, callContext('test'), { key, spec: spec('a') });
      throw new Error('later');
    });
    await expect(failing).rejects.toThrow('later');
    expect(await stored()).toBeUndefined();
    const rows = await world.store.direct.audit.list({ limit: 10 });
    expect(rows.some((row) => row.target === 'Skill/default/one')).toBe(false);
  });

  it('stores custom kinds as raw JSON', async () => {
    const thing = recordKey('Thing', 'default', 't');
    const write = (json: string): Promise<WriteResult> =>
      put({ key: thing, apiVersion: 'example.org/v1', spec: create(RawResourceSpecSchema, { json }) });
    expect((await write('{"b":1,"a":[2]}')).resource).toMatchObject({ spec: '{"a":[2],"b":1}', status: '{}' });
    expect((await write('{"a":[2],"b":1}')).outcome).toBe('unchanged');
    expect((await put({ key: thing, labels: { a: 'b' } })).resource).toMatchObject({
      generation: 1,
      spec: '{"a":[2],"b":1}',
    });
  });

  it('knows no built-in kind without a contract', async () => {
    await expect(put({ key: recordKey('Workflow', 'default', 'w') })).rejects.toThrow('has no contract');
  });
});
