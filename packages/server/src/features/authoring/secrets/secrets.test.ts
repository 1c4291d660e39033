import { readdirSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type Message } from '@bufbuild/protobuf';
import {
  AdminService,
  type ListResourcesResponse,
  type ResourceResponse,
  ResourceService,
  type RotateSecretKeyResponse,
} from '@svc/api/gateway';
import {
  McpServerSpecSchema,
  NamespaceSpecSchema,
  type Resource,
  type SecretSpec,
  SecretSpecSchema,
  TemplateSpecSchema,
} from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import { seededRandom, silentLog } from '../../../base/index.ts';
import { kindContract, RESEAL, ResealWorker, statusReconcilers } from '../../../controllers/index.ts';
import type { Operation } from '../../../operations/index.ts';
import { namespaceKey, openRecord, recordKey } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { bytesOfGivenStore } from '../../../store/testing/given-store.ts';
import { ADMIN, callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { openSecretKeys } from './index.ts';
import { KeyFile } from './key-file.ts';
import { freshKey, KeyRing } from './key-ring.ts';
import { secretContract } from './secret-kind.ts';
import { secretOperations } from './secret-operations.ts';
import { auditSecretReads } from './secret-read-audit.ts';
import { SecretResolver } from './secret-resolver.ts';

const READER: Caller = { ...ADMIN, grants: [{ role: 'viewer', readSecrets: false }] };
const VALUE = 'a-value-nobody-may-find';
const VALUE_64 = Buffer.from(VALUE).toString('base64');
const { getResource, listResources } = ResourceService.method;

const specOf = (answer: { readonly resource?: Resource | undefined }): SecretSpec => {
  const spec = answer.resource?.spec?.kind;
  if (spec?.case !== 'secret') throw new Error('no secret');
  return spec.value;
};
const secretData = (answer: ResourceResponse): Record<string, string> => specOf(answer).data;

describe('secrets', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({
      contracts: () => [
        secretContract(),
        ...['McpServer', 'Template'].map((kind) => kindContract({ kind, validate: () => [] })),
      ],
    });
  });
  afterEach(() => world.close());

  const put = (kind: string, name: string, spec: Message): Promise<StoredResource> =>
    world.store.write(
      async (tx) =>
        (await world.writer.put(tx, callContext('test'), { key: recordKey(kind, 'default', name), spec })).resource,
    );
  const secret = (data: Record<string, string>, stringData: Record<string, string> = {}) =>
    create(SecretSpecSchema, { data, stringData });
  const read = (caller: Caller = ADMIN): Promise<ResourceResponse> =>
    world.call(getResource, { ns: 'default', kind: 'Secret', name: 'one' }, caller);

  it('are stored, logged and kept on disk without a readable value', async () => {
    await put('Secret', 'one', secret({}, { password: VALUE }));
    await put('Secret', 'one', secret({}, { password: `${VALUE}-2` }));
    await put(
      'McpServer',
      'web',
      create(McpServerSpecSchema, { headers: { auth: VALUE, ref: 'secret://one/password' } }),
    );
    const changes = await world.store.direct.resources.changes(0, 100);
    const texts = JSON.stringify([
      changes,
      await world.store.direct.resources.list({ scope: { type: 'all' }, limit: 100 }),
    ]);
    expect(texts).not.toContain(VALUE);
    expect(texts).not.toContain(VALUE_64.slice(0, 20));
    expect(texts).toContain('secret://one/password');
    const bytes = await bytesOfGivenStore(world.dataDir);
    expect(bytes.includes('McpServer')).toBe(true);
    expect(bytes.includes(VALUE)).toBe(false);
    expect(bytes.includes(VALUE_64.slice(0, 20))).toBe(false);
    const shown: ResourceResponse = await world.call(getResource, { ns: 'default', kind: 'McpServer', name: 'web' });
    expect(shown.resource?.spec?.kind.value).toMatchObject({ headers: { auth: VALUE } });
  });

  it('show their values only to callers who may read them, never in lists', async () => {
    const before = await put('Secret', 'one', secret({}, { password: VALUE }));
    expect(secretData(await read())).toEqual({ password: VALUE_64 });
    const masked = await read(READER);
    expect(secretData(masked)).toEqual({ password: '' });
    const page: ListResourcesResponse = await world.call(listResources, { ns: 'default', kind: 'Secret' });
    expect(specOf({ resource: page.resources[0] }).data).toEqual({ password: '' });
    const after = await put('Secret', 'one', specOf(masked));
    expect(after).toEqual(before);
    const extended = await put('Secret', 'one', secret({ password: '' }, { more: 'x' }));
    expect(extended.generation).toBe(2);
    expect(secretData(await read())).toEqual({ password: VALUE_64, more: 'eA==' });
    await put('Secret', 'one', secret({ more: '' }));
    expect(secretData(await read())).toEqual({ more: 'eA==' });
  });

  it('keep what a modification does not touch', async () => {
    await put('Secret', 'one', secret({}, { password: VALUE }));
    const key = recordKey('Secret', 'default', 'one');
    const result = await world.store.write((tx) =>
      world.writer.modify(tx, callContext('test'), { key, change: () => ({ labels: { a: 'b' } }) }),
    );
    expect([result.outcome, result.resource.generation]).toEqual(['updated', 1]);
    expect(secretData(await read())).toEqual({ password: VALUE_64 });
  });

  it('leave an audit record of every read of their values, and none of masked ones', async () => {
    const operations = auditSecretReads(world.operations, world);
    const get = operations.find((operation) => operation.method.name === 'GetResource');
    if (get?.kind !== 'unary') throw new Error('no GetResource');
    await put('Secret', 'one', secret({}, { password: VALUE }));
    const request = create(getResource.input, { ns: 'default', kind: 'Secret', name: 'one' });
    const reads = async (): Promise<number> =>
      (await world.store.direct.audit.list({ limit: 100 })).filter((row) => row.outcome === 'secret-read').length;
    await get.handle(request, callContext('GetResource', READER));
    expect(await reads()).toBe(0);
    await get.handle(request, callContext('GetResource'));
    expect(await reads()).toBe(1);
    await get
      .handle(create(getResource.input, { ns: 'default', kind: 'Namespace', name: 'default' }), callContext('x'))
      .catch(() => 0);
    expect(await reads()).toBe(1);
    expect(operations.length).toBe(world.operations.length);
  });

  it('leave a record of each that an apply shows, and of those that templates hold, which lists hide', async () => {
    const operations = auditSecretReads(world.operations, world);
    const handle = async (name: string, request: Message): Promise<unknown> => {
      const found = operations.find((operation) => operation.method.name === name);
      if (found?.kind !== 'unary') throw new Error(`no ${name}`);
      return found.handle(request, callContext(name));
    };
    const reads = async (): Promise<readonly string[]> =>
      (await world.store.direct.audit.list({ limit: 100 }))
        .filter((row) => row.outcome === 'secret-read')
        .map((row) => row.target)
        .reverse();
    const text = ['a', 'b']
      .map((name) => `kind: Secret\nmetadata: {name: ${name}}\nspec: {stringData: {k: ${VALUE}}}\n---\n`)
      .join('');
    const manifest = 'kind: Template\nmetadata: {name: t}\nspec: {kind: Secret, spec: {stringData: {k: x-1}}}\n';
    const { applyManifests } = ResourceService.method;
    await handle('ApplyManifests', create(applyManifests.input, { ns: 'default', text: text + manifest }));
    expect(await reads()).toEqual(['Secret/default/a', 'Secret/default/b', 'Template/default/t']);
    await handle('GetResource', create(getResource.input, { ns: 'default', kind: 'Template', name: 't' }));
    expect((await reads()).length).toBe(4);
    const page: ListResourcesResponse = await world.call(listResources, { ns: 'default', kind: 'Template' });
    expect(JSON.stringify(page.resources.map(({ spec }) => spec?.kind.value))).not.toContain('x-1');
    await put('Template', 'plain', create(TemplateSpecSchema, { kind: 'Agent', specJson: '{}' }));
    await handle('GetResource', create(getResource.input, { ns: 'default', kind: 'Template', name: 'plain' }));
    expect((await reads()).length).toBe(4);
  });

  it('are encrypted by a new key after a rotation, readable at every moment', async () => {
    for (let index = 0; index < 230; index++)
      await put('Secret', `s-${index}`, secret({}, { password: `${VALUE}${index}` }));
    const { operation, worker } = rotation();
    await world.store.write(async (tx) => {
      await tx.instance.setValue('value', world.seal.seal('a place', 'text'));
      await tx.instance.setValue('strange', world.seal.seal('another', 'text'));
    });
    const [kept, strange] = [await instanceValue('value'), await instanceValue('strange')];
    const before = await world.store.direct.resources.get(recordKey('Secret', 'default', 's-7'));
    const answer = (await operation.handle(
      create(AdminService.method.rotateSecretKey.input),
      callContext('x'),
    )) as RotateSecretKeyResponse;
    expect(answer.keyId).toBe(world.seal.newestId);
    const work = worker.run({ kind: RESEAL, key: answer.keyId, payload: '{"kind":0}' });
    const seen: string[] = [];
    for (let index = 0; index < 230; index += 10) {
      const record = await world.store.direct.resources.get(recordKey('Secret', 'default', `s-${index}`));
      seen.push(openRecord(record as StoredResource, world.seal).spec);
      await put('Secret', `s-${index}`, secret({ password: '' }, { index: String(index) }));
    }
    expect(await work).toEqual({ done: true });
    const value = (await instanceValue('value')) ?? '';
    expect([value === kept, world.seal.isNewest(value), world.seal.open('a place', value)]).toEqual([
      false,
      true,
      'text',
    ]);
    expect([await instanceValue('strange'), await instanceValue('none')]).toEqual([strange, undefined]);
    expect(seen.every((text, index) => text.includes(Buffer.from(`${VALUE}${index * 10}`).toString('base64')))).toBe(
      true,
    );
    const all = await world.store.direct.resources.list({ kind: 'Secret', scope: { type: 'all' }, limit: 500 });
    expect(all.filter((record) => !record.spec.includes(`sealed:v1:${answer.keyId}:`))).toEqual([]);
    const after = all.find((record) => record.key.name === 's-7');
    expect(after?.generation).toBe(before?.generation);
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    const { newest } = await world.store.direct.resources.versionRange();
    expect(await worker.run({ kind: RESEAL, key: 'again', payload: '{"kind":0}' })).toEqual({ done: true });
    expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
  });

  const instanceValue = (name: string): Promise<string | undefined> => world.store.direct.instance.value(name);

  const rotation = () => {
    const addKey = async (): Promise<string> => {
      const key = freshKey(world.random);
      world.seal.add(key);
      return key.id;
    };
    const [operation] = secretOperations({
      store: world.store,
      audit: world.audit,
      keys: { addKey, ring: world.seal },
      resealKind: RESEAL,
    });
    const values = [
      { name: 'value', place: 'a place' },
      { name: 'strange', place: 'a place' },
      { name: 'none', place: 'a place' },
    ];
    const worker = new ResealWorker({
      store: world.store,
      seal: world.seal,
      values,
      reseal: async () => undefined,
      notify: () => undefined,
    });
    if (operation?.kind !== 'unary') throw new Error('no operation');
    return { operation: operation as Extract<Operation, { kind: 'unary' }>, worker };
  };

  it('say when their key is missing, and nothing of them is overwritten', async () => {
    await put('Secret', 'one', secret({}, { password: VALUE, other: 'x' }));
    const { dataDir } = world;
    await world.close(true);
    const stranger = seededRandom(99);
    world = await openResourceWorld({ dataDir, contracts: () => [secretContract()] });
    const seal = new KeyRing([freshKey(stranger)], stranger);
    const { store, writer } = world;
    const key = recordKey('Secret', 'default', 'one');
    const stored = async (): Promise<StoredResource> => (await store.direct.resources.get(key)) as StoredResource;
    const reconcile = (by: KeyRing) =>
      statusReconcilers({ store, writer, seal: by }, [secretContract()])[0]?.reconcile(key);
    const before = await stored();
    await reconcile(seal);
    expect(JSON.parse((await stored()).status)).toMatchObject({
      phase: 'Degraded',
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Decryptable', status: 'False', reason: 'KeyMissing' },
      ],
    });
    expect((await stored()).spec).toBe(before.spec);
    await reconcile(world.seal);
    expect(JSON.parse((await stored()).status)).toMatchObject({ phase: 'Ready' });
  });

  it('are found in the own namespace, else in the nearest ancestor that lets them be inherited', async () => {
    const make = (name: string): Promise<unknown> =>
      world.store.write((tx) =>
        world.writer.put(tx, callContext('test'), {
          key: namespaceKey(name),
          spec: create(NamespaceSpecSchema, { parent: parentOf(name) }),
        }),
      );
    const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf(':')));
    for (const name of ['a', 'a:b', 'a:b:c', 'a:x']) await make(name);
    const store = (ns: string, text: string, inheritable = false): Promise<unknown> =>
      world.store.write((tx) =>
        world.writer.put(tx, callContext('test'), {
          key: recordKey('Secret', ns, 'shared'),
          spec: secret({}, { key: text }),
          annotations: inheritable ? { 'option.svc/inheritable': 'true' } : {},
        }),
      );
    const resolver = new SecretResolver({
      store: world.store,
      seal: world.seal,
      lineage: async (reads, ns) => [ns, ...(await world.directory.ancestors(reads, ns))],
    });
    const resolve = (ns: string, use = {}): Promise<string> =>
      resolver.resolve(ns, 'secret://shared/key', use).catch((error: { reason: string }) => error.reason);
    await store('a:x', 'sibling', true);
    expect(await resolve('a:b')).toBe('SECRET_NOT_FOUND');
    await store('a', 'top');
    expect(await resolve('a:b:c')).toBe('SECRET_NOT_FOUND');
    await store('a', 'top', true);
    expect(await resolve('a:b:c')).toBe('top');
    await store('a:b', 'middle');
    expect([await resolve('a:b:c'), await resolve('a:b')]).toEqual(['top', 'middle']);
    await store('a:b', 'changed', true);
    expect([await resolve('a:b:c'), await resolve('a:b')]).toEqual(['changed', 'changed']);
    await store('system', 'provider');
    expect([await resolve('default'), await resolve('default', { isProviderKey: true })]).toEqual([
      'SECRET_NOT_FOUND',
      'provider',
    ]);
    const problem = (reference: string) => resolver.problem(world.store.direct, 'a:b', reference);
    expect([
      await problem('shared/key'),
      await problem('shared/none'),
      await problem('none/key'),
      await problem('x'),
    ]).toEqual([undefined, 'SecretKeyMissing', 'SecretMissing', 'Malformed']);
    const closed = new SecretResolver({
      store: world.store,
      seal: { open: () => undefined },
      lineage: async (_reads, ns) => [ns],
    });
    expect(await closed.problem(world.store.direct, 'a', 'shared/key')).toBe('NotDecryptable');
  });
});

describe('keyed hashes of values', () => {
  const random = seededRandom(9);
  const [first, second] = [freshKey(random), freshKey(random)];

  it('are known again after a rotation, at their place only, and by nobody without the key', () => {
    const ring = new KeyRing([first], random);
    const hashed = ring.hash('acme/Secret/x/data/a', VALUE);
    expect(hashed).not.toContain(VALUE);
    ring.add(second);
    expect(ring.isHashOf(hashed, 'acme/Secret/x/data/a', VALUE)).toBe(true);
    expect(ring.isHashOf(hashed, 'acme/Secret/x/data/b', VALUE)).toBe(false);
    expect(ring.isHashOf(hashed, 'acme/Secret/x/data/a', 'other')).toBe(false);
    expect(ring.isHashOf('plain', 'acme/Secret/x/data/a', VALUE)).toBe(false);
    expect(ring.hash('acme/Secret/x/data/a', VALUE)).not.toBe(hashed);
    expect(new KeyRing([second], random).isHashOf(hashed, 'acme/Secret/x/data/a', VALUE)).toBe(false);
  });
});

describe('the key file', () => {
  let dataDir: string;
  let world: ResourceWorld;
  const random = seededRandom(5);
  const log = silentLog;
  type Configured = Parameters<typeof openSecretKeys>[0]['configured'];
  const open = (configured: Configured = []) => {
    const facts = { isShared: false, acceptsLoss: false, log };
    return openSecretKeys({ dataDir, configured, random, store: world.store, ...facts });
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-keys-'));
    world = await openResourceWorld();
  });
  afterEach(async () => {
    await world.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is made at the first start for its owner only, and read at the next', async () => {
    const first = await open();
    const path = join(dataDir, 'keys', 'master.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const sealed = first.ring.seal('place', 'text');
    const second = await open();
    expect(second.ring.open('place', sealed)).toBe('text');
    expect(second.ring.open('other', sealed)).toBeUndefined();
    const added = await second.addKey();
    expect(second.ring.isNewest(sealed)).toBe(false);
    const third = await open();
    expect([third.ring.newestId, third.ring.open('place', sealed)]).toEqual([added, 'text']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('stops the start when others may read it or it is damaged', async () => {
    await open();
    const path = join(dataDir, 'keys', 'master.json');
    await chmod(path, 0o640);
    await expect(open()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'KEY_FILE' });
    await chmod(path, 0o600);
    const text = await readFile(path, 'utf8');
    for (const broken of ['', '{"keys":[]}', text.replace(/"key": ".{6}/, '"key": "')]) {
      await writeFile(path, broken);
      await expect(open()).rejects.toMatchObject({ reason: 'KEY_FILE' });
    }
  });

  it('is made once by however many processes start at once, and all of them use that one', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, async () => (await open()).ring));
    const sealed = rings.map((ring) => ring.seal('place', 'text'));
    for (const ring of rings) expect(sealed.map((text) => ring.open('place', text))).toEqual(sealed.map(() => 'text'));
    expect((await open()).ring.newestId).toBe(rings[0]?.newestId);
    expect(readdirSync(join(dataDir, 'keys'))).toEqual(['master.json']);
  });

  it('is made where there are no hard links, and says what else went wrong', async () => {
    const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
    const create = (code: string) => new KeyFile(dataDir, failing(code)).create(freshKey(random));
    const [first] = await create('ENOTSUP');
    expect(await create('EPERM')).toEqual([first]);
    await expect(create('ENOSPC')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readdirSync(join(dataDir, 'keys'))).toEqual(['master.json']);
    const path = join(dataDir, 'keys', 'master.json');
    const vanishing = new KeyFile(dataDir, () => rm(path));
    await expect(vanishing.create(freshKey(random))).rejects.toMatchObject({ reason: 'KEY_FILE' });
  });

  it('adds no key when it is gone', async () => {
    const keys = await open();
    await rm(join(dataDir, 'keys'), { recursive: true });
    await expect(keys.addKey()).rejects.toMatchObject({ reason: 'KEY_FILE' });
  });

  it('is not used with configured keys, of which the newest encrypts and all decrypt', async () => {
    const hex = 'ab'.repeat(32);
    const old = await open([{ id: 'a/1', key: hex }]);
    const sealed = old.ring.seal('place', 'text');
    const configured = [
      { id: 'a/1', key: hex },
      { id: 'b', key: 'a passphrase of some length' },
    ];
    const both = await open(configured);
    expect([both.ring.open('place', sealed), both.ring.isNewest(sealed), await both.addKey()]).toEqual([
      'text',
      false,
      'b',
    ]);
    expect(both.ring.open('place', 'sealed:v1:%E0%A4:AAAA')).toBeUndefined();
    expect(both.ring.open('place', 'sealed:v1:b:AAAA')).toBeUndefined();
    await expect(open([{ id: 'c', key: 'short' }])).rejects.toMatchObject({ reason: 'KEY_TOO_SHORT' });
    expect(() => new KeyRing([], random)).toThrow('no key');
    await expect(stat(join(dataDir, 'keys'))).rejects.toThrow();
  });
});

describe('the keys of nodes that share a store', () => {
  let world: ResourceWorld;
  beforeEach(async () => {
    world = await openResourceWorld({ contracts: () => [secretContract()] });
  });
  afterEach(() => world.close());

  let nodes = 0;
  const random = seededRandom(9);
  /** A node with a data directory of its own, or that of another one. */
  const node = (
    name = `node-${++nodes}`,
    configured: readonly { readonly id: string; readonly key: string }[] = [],
  ) => {
    const dataDir = join(world.dataDir, name);
    const { store } = world;
    const facts = { store, isShared: true, acceptsLoss: false, log: silentLog };
    return { dataDir, open: () => openSecretKeys({ dataDir, configured, random, ...facts }) };
  };
  const mismatch = (key: string) => ({
    ...{ code: 'FAILED_PRECONDITION', reason: 'KEY_MISMATCH', metadata: { key_id: key } },
    message: expect.stringContaining(`encrypted with key ${key},`),
  });
  const long = (text: string): string => text.repeat(32);

  it('are those of the first one: a node without them does not start, and makes none of its own', async () => {
    const { ring } = await node('one').open();
    const other = node('other');
    await expect(other.open()).rejects.toMatchObject(mismatch(ring.newestId));
    expect(() => readdirSync(other.dataDir)).toThrow('ENOENT');
    const { ring: again } = await node('one').open();
    expect(again.newestId).toBe(ring.newestId);
    const strange = node('strange');
    await new KeyFile(strange.dataDir).create(freshKey(seededRandom(10)));
    await expect(strange.open()).rejects.toMatchObject(mismatch(ring.newestId));
  });

  it('are told apart though they were given the same id', async () => {
    await node('one', [{ id: 'k/1', key: long('a') }]).open();
    await expect(node('two', [{ id: 'k/1', key: long('b') }]).open()).rejects.toMatchObject(mismatch('k/1'));
  });

  it('may be followed by a newer one, which then all must have, and which a rotation notes at once', async () => {
    const [first, second] = [
      { id: 'first', key: long('a') },
      { id: 'second', key: long('b') },
    ];
    await node('one', [first]).open();
    await node('two', [second, first]).open();
    await node('one', [first]).open();
    await node('two', [first, second]).open();
    await expect(node('one', [first]).open()).rejects.toMatchObject(mismatch('second'));
    await node('one', [second]).open();
  });

  it('that one node adds to their file the others find there, to read with and to encrypt with', async () => {
    const [adding, other] = [await node('one').open(), await node('one').open()];
    const before = other.ring.seal('place', 'old');
    const added = await adding.addKey();
    expect(other.ring.newestId).not.toBe(added);
    const [sealed, hashed] = [adding.ring.seal('place', 'text'), adding.ring.hash('place', 'text')];
    expect([other.ring.open('place', sealed), other.ring.newestId]).toEqual(['text', added]);
    expect([other.ring.isHashOf(hashed, 'place', 'text'), other.ring.open('place', before)]).toEqual([true, 'old']);
    const latest = await adding.addKey();
    expect([other.ring.isNewest(sealed), other.ring.newestId]).toEqual([false, latest]);
    await writeFile(join(world.dataDir, 'one', 'keys', 'master.json'), 'damaged');
    expect(other.ring.open('place', 'sealed:v1:gone:AAAA')).toBeUndefined();
    expect(other.ring.open('place', sealed)).toBe('text');
  });

  it('that one node adds to their file encrypt on every other from then on', async () => {
    const [adding, other] = [await node('one').open(), await node('one').open()];
    const before = other.ring.seal('place', 'text');
    await adding.addKey();
    expect(adding.ring.isNewest(before)).toBe(false);
    expect(adding.ring.isNewest(other.ring.seal('place', 'text'))).toBe(true);
    await adding.addKey();
    const hashed = other.ring.hash('place', 'text');
    expect(hashed).toBe(adding.ring.hash('place', 'text'));
  });

  it('are missed by a node that has only a copy of their file: it is not ready until it has them', async () => {
    const [adding, copying] = [node('one'), node('copy')];
    const first = await adding.open();
    await mkdir(join(copying.dataDir, 'keys'), { recursive: true });
    const copy = () =>
      copyFile(join(adding.dataDir, 'keys', 'master.json'), join(copying.dataDir, 'keys', 'master.json'));
    await copy();
    const second = await copying.open();
    await second.requireKnown();
    const operations = secretOperations({ store: world.store, keys: first, audit: world.audit, resealKind: RESEAL });
    (world.operations as Operation[]).push(...operations);
    const { keyId } = await world.call(AdminService.method.rotateSecretKey, {});
    await first.requireKnown();
    await expect(second.requireKnown()).rejects.toMatchObject(mismatch(keyId));
    await copy();
    await second.requireKnown();
    expect(second.ring.newestId).toBe(keyId);
  });

  it('are added to their file by one node at a time, so that none is lost', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => node('one').open()));
    const outcomes = await Promise.allSettled(opened.map((keys) => keys.addKey()));
    const added = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
    expect(added.length).toBeGreaterThan(0);
    added.push(await opened[3]!.addKey());
    const text = await readFile(join(world.dataDir, 'one', 'keys', 'master.json'), 'utf8');
    expect((JSON.parse(text) as { keys: { id: string }[] }).keys.slice(1).map(({ id }) => id)).toEqual(added);
  });

  it('are noted when one is added', async () => {
    const { open } = node('one');
    const keys = await open();
    const operations = secretOperations({ store: world.store, keys, audit: world.audit, resealKind: RESEAL });
    (world.operations as Operation[]).push(...operations);
    const { keyId } = await world.call(AdminService.method.rotateSecretKey, {});
    await expect(node('other').open()).rejects.toMatchObject(mismatch(keyId));
    const due = (): Promise<readonly { readonly key: string }[]> =>
      world.store.write((tx) => tx.queue.take([RESEAL], tx.steadyNow(), 1_000_000_000, 9));
    expect((await due()).map(({ key }) => key)).toEqual([keyId]);
    world.clock.advance(60_000);
    // What was encrypted by the key of before in a write that was under way then.
    expect((await due()).map(({ key }) => key)).toEqual([`${keyId}/again`]);
  });
});
