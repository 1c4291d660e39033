import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AdminService,
  type DoctorCheck,
  type GetConfigurationResponse,
  type RunDoctorResponse,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import { AuditChain } from '../../../auth/index.ts';
import { Fault, LineBroadcast } from '../../../base/index.ts';
import type { Operation } from '../../../operations/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { changeGivenStore } from '../../../store/testing/given-store.ts';
import { ADMIN, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { type AdminDeps, adminOperations } from './admin-operations.ts';
import { LogStreams } from './log-streams.ts';

type Changes = { -readonly [K in keyof AdminDeps]?: AdminDeps[K] };

let world: ResourceWorld;
let lines: LineBroadcast;
/** What the surroundings of a test look like; may be changed before the call. */
let facts: Changes;

beforeEach(async () => {
  world = await openResourceWorld();
  facts = {};
  lines = new LineBroadcast();
  const { store, bus, clock, ids, dataDir } = world;
  mkdirSync(join(dataDir, 'keys'), { mode: 0o700 });
  for (const name of ['master.json', 'tokens.json']) writeFileSync(join(dataDir, 'keys', name), '{}', { mode: 0o600 });
  const deps: AdminDeps = {
    ...{ store, bus, clock, ids, dataDir, usesKeyFile: true },
    objects: { reach: async () => undefined },
    pendingBackup: async () => undefined,
    lostValues: async () => ({ count: 0, keyIds: [], holders: [] }),
    examine: async () => ({ schema: 4, known: 4, problems: [] }),
    configuration: {
      values: [
        { key: 'server.listen', value: '127.0.0.1:7420', source: 'svc.yaml:3:5' },
        { key: 'auth.token', value: null, source: 'default' },
      ],
      warnings: [],
      file: '/etc/svc/svc.yaml',
    },
    providers: {
      providers: [{ name: 'demo', isUsable: true }],
      defaultModel: 'demo/echo',
      probe: async () => undefined,
    },
    vectors: async () => undefined,
    logs: new LogStreams({ lines, ids, limits: { events: 100, bytes: 100_000 } }),
  };
  // Facts are looked up at each call, so that a test can change one.
  const current = new Proxy(deps, { get: (target, key) => Reflect.get({ ...target, ...facts }, key) });
  (world.operations as Operation[]).push(...adminOperations(current));
});
afterEach(() => world.close());

const doctor = async (request: object = {}): Promise<readonly DoctorCheck[]> => {
  const answer: RunDoctorResponse = await world.call(AdminService.method.runDoctor, request);
  return answer.checks;
};
/** The checks of a name as `result: detail`. */
const resultsOf = async (name: string, request: object = {}): Promise<readonly string[]> =>
  (await doctor(request)).filter((check) => check.name === name).map(({ result, detail }) => `${result}: ${detail}`);

describe('RunDoctor', () => {
  it('finds nothing wrong with a healthy instance and looks at every part', async () => {
    chmodSync(world.dataDir, 0o700);
    await new AuditChain(world.store).tick();
    const checks = await doctor();
    expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual([
      ...['configuration', 'data directory', 'key file', 'key file', 'disk', 'clock', 'store', 'store integrity'],
      ...['migrations', 'bus', 'objects', 'backups', 'secret values', 'providers', 'vectors', 'finalizers'],
      ...['not executed', 'connector classes', 'audit chain'],
    ]);
    expect(checks.every(({ remedy }) => remedy === '')).toBe(true);
  });

  it('names a remedy with everything that is not well', async () => {
    facts.configuration = { values: [], warnings: ['svc.yaml:1:1: serve: unknown key, did you mean server'] };
    facts.examine = async () => ({ schema: 3, known: 4, problems: ['page 7 is never used', 'wrong order', 'x'] });
    facts.objects = { reach: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    facts.pendingBackup = async () => ({ tries: 3, problem: 'no space left' });
    facts.providers = {
      providers: [{ name: 'openai', isUsable: false }],
      defaultModel: 'openai/m',
      probe: async () => 'the key was refused',
    };
    const checks = await doctor({ online: true });
    const bad = checks.filter(({ result }) => result !== 'ok');
    expect(bad.map(({ name, result, detail }) => [name, result, detail])).toEqual(
      expect.arrayContaining([
        ['configuration', 'warn', 'svc.yaml:1:1: serve: unknown key, did you mean server'],
        ['store integrity', 'fail', 'page 7 is never used and 2 more'],
        ['migrations', 'fail', 'schema 3, this release needs 4'],
        ['objects', 'fail', 'connect ECONNREFUSED'],
        ['backups', 'fail', 'the scheduled backup failed 3 times: no space left'],
        ['providers', 'warn', 'no key for openai'],
        ['default model', 'fail', 'openai/m: the key was refused'],
      ]),
    );
    expect(bad.every(({ remedy }) => remedy !== '')).toBe(true);
  });

  it('finds nothing wrong with a scheduled backup whose first try still runs', async () => {
    facts.pendingBackup = async () => ({ tries: 1, problem: '' });
    expect(await resultsOf('backups')).toEqual(['ok: up to date']);
  });

  it('names the key that is missing, and what it would open', async () => {
    const holders = ['Secret/a/one', 'Secret/a/two', 'McpServer/a/three', 'Secret/b/four'];
    facts.lostValues = async () => ({ count: 7, keyIds: ['k1'], holders });
    expect(await resultsOf('secret values')).toEqual([
      'fail: 7 of Secret/a/one, Secret/a/two, McpServer/a/three and 1 more cannot be decrypted: their key k1 is missing',
    ]);
    facts.lostValues = async () => ({ count: 2, keyIds: ['k1', 'k2'], holders: ['Secret/a/one'] });
    expect(await resultsOf('secret values')).toEqual([
      'fail: 2 of Secret/a/one cannot be decrypted: their keys k1, k2 are missing',
    ]);
  });

  it('says in the present tense that the disk is full, and what to do', async () => {
    const full = new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', "the server's disk is full");
    facts.store = { ...world.store, ping: () => Promise.reject(full) } as never;
    const [found] = (await doctor()).filter(({ name }) => name === 'store');
    expect(found).toMatchObject({ result: 'fail', detail: "the server's disk is full" });
    expect(found?.remedy).toBe(
      'make room on that disk: writes are refused until then, and accepted again by themselves',
    );
  });

  it('calls the default model only when asked to', async () => {
    const asked: string[] = [];
    facts.providers = { providers: [], defaultModel: 'demo/echo', probe: async () => void asked.push('call') };
    await doctor();
    expect(asked).toEqual([]);
    expect(await resultsOf('default model', { online: true })).toEqual(['ok: demo/echo answers']);
    expect(asked).toEqual(['call']);
  });

  it('tells when key files may be read by others or are gone', async () => {
    const path = join(world.dataDir, 'keys', 'master.json');
    chmodSync(path, 0o644);
    const tokens = join(world.dataDir, 'keys', 'tokens.json');
    expect(await resultsOf('key file')).toEqual([`fail: ${path} may be read by others`, `ok: ${tokens}`]);
    rmSync(path);
    chmodSync(tokens, 0o640);
    expect(await resultsOf('key file')).toEqual([
      expect.stringMatching(/^fail: .*master.json.*ENOENT/),
      `fail: ${tokens} may be read by others`,
    ]);
    rmSync(tokens);
    expect(await resultsOf('key file')).toHaveLength(1);
    facts.usesKeyFile = false;
    expect(await resultsOf('key file')).toEqual([]);
  });

  it('tells when the data directory is open to everyone', async () => {
    chmodSync(world.dataDir, 0o755);
    expect(await resultsOf('data directory')).toEqual([`warn: ${world.dataDir} is open to every user`]);
    facts.dataDir = join(world.dataDir, 'missing');
    expect((await resultsOf('data directory'))[0]).toMatch(/^fail: .*missing/);
    expect((await resultsOf('disk'))[0]).toMatch(/^warn/);
  });

  it('tells when the clock went back', async () => {
    world.clock.stepWallClock(-120_000);
    expect(await resultsOf('clock')).toEqual(['warn: 120 s behind the clock of the store']);
  });

  it('says what compares vectors, how many documents wait, and what the provider refuses', async () => {
    expect(await resultsOf('vectors')).toEqual(['ok: off: searches go by words (knowledge.embeddings)']);
    const found = { model: 'demo/words', engine: 'sqlite-vec v0.1.9', waiting: 3, problem: undefined };
    facts.vectors = async () => found;
    const text = 'demo/words, compared by sqlite-vec v0.1.9; 3 documents wait for theirs';
    expect(await resultsOf('vectors')).toEqual([`ok: ${text}`]);
    facts.vectors = async () => ({ ...found, problem: 'The model provider refused the credentials.' });
    expect(await resultsOf('vectors')).toEqual([`fail: ${text}: The model provider refused the credentials.`]);
    facts.vectors = async () => ({ ...found, engine: undefined });
    expect((await resultsOf('vectors'))[0]).toMatch(/^warn: searches go by words/);
  });

  it('counts the records of the audit log that it verified', async () => {
    await new AuditChain(world.store).tick();
    expect(await resultsOf('audit chain')).toEqual(['ok: 2 records verified, 0 not chained yet']);
  });

  it('tells when the audit log was changed', async () => {
    await world.store.write((tx) =>
      world.audit(
        tx,
        { requestId: '', operation: 'x', caller: ADMIN },
        { target: 't', namespace: '', resourceVersion: '', outcome: 'ok' },
      ),
    );
    await new AuditChain(world.store).tick();
    await changeGivenStore(world.dataDir, `UPDATE audit SET identity = 'nobody'`);
    expect((await resultsOf('audit chain'))[0]).toMatch(/^fail: record .* does not fit its hash/);
  });

  it('tells of deletions that hang, but not of those that have just begun', async () => {
    const draft = (name: string, ageMicros: number): Omit<StoredResource, 'version' | 'updatedAt'> => ({
      key: { kind: 'Task', namespace: 'default', parent: '', name },
      ...{ apiVersion: 'svc/v1', uid: name, generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [] },
      ...{ finalizers: ['example/hold'], spec: '{}', status: '{}', deletionTimestamp: world.store.now() - ageMicros },
    });
    await world.store.write(async (tx) => {
      await tx.resources.insert(draft('old', 11 * 60e6));
      await tx.resources.insert(draft('new', 60e6));
    });
    expect(await resultsOf('finalizers')).toEqual(['warn: deletions hang: Task default/old (example/hold)']);
  });

  it('tells of connector classes that are not ready', async () => {
    const insert = (name: string, status: string) =>
      world.store.write((tx) =>
        tx.resources.insert({
          key: { kind: 'ConnectorClass', namespace: 'default', parent: '', name },
          ...{ apiVersion: 'svc/v1', uid: name, generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [] },
          ...{ finalizers: [], spec: '{}', status },
        }),
      );
    await insert('good', '{"conditions":[{"type":"Ready","status":"True"}]}');
    for (const name of ['a', 'b', 'c', 'd']) await insert(name, name === 'a' ? '' : '{}');
    expect(await resultsOf('connector classes')).toEqual([
      'warn: not ready: default/a, default/b, default/c and 1 more',
    ]);
  });

  it('names the kinds that are stored and that nothing acts on', async () => {
    const status = '{"conditions":[{"type":"Ready","status":"Unknown","reason":"NotExecuted"}]}';
    for (const [kind, name] of [
      ['Schedule', 'nightly'],
      ['Schedule', 'hourly'],
      ['ConnectorClass', 'chat'],
    ] as const)
      await world.store.write((tx) =>
        tx.resources.insert({
          key: { kind, namespace: 'default', parent: '', name },
          ...{ apiVersion: 'svc/v1', uid: name, generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [] },
          ...{ finalizers: [], spec: '{}', status },
        }),
      );
    expect(await resultsOf('not executed')).toEqual([
      'warn: stored, but this version does not act on them: 1 ConnectorClass, 2 Schedule',
    ]);
    expect(await resultsOf('connector classes')).toEqual(['ok: 0 ready']);
  });

  it('goes on when a check breaks, and when the bus is silent', async () => {
    facts.bus = { subscribe: () => () => undefined, publish: () => world.clock.advance(2_000) };
    facts.examine = () => Promise.reject(new Error('the thread ended'));
    facts.configuration = undefined as never;
    const checks = await doctor();
    const results = new Map(checks.map(({ name, result }) => [name, result]));
    expect([results.get('configuration'), results.get('bus'), results.get('store integrity')]).toEqual([
      'fail',
      'fail',
      'warn',
    ]);
    expect(results.get('audit chain')).toBe('ok');
  });

  it('leaves the files of a store to the engine that has none here', async () => {
    facts.examine = undefined as never;
    expect(await resultsOf('store')).toEqual(['ok: answers']);
    expect(await resultsOf('store integrity')).toEqual([]);
  });

  it('says only that the store does not answer when it does not', async () => {
    facts.store = {
      ...world.store,
      steadyNow: () => 0,
      read: world.store.read.bind(world.store),
      ping: () => Promise.reject(new Error('disk I/O error')),
    };
    expect(await resultsOf('store')).toEqual(['fail: disk I/O error']);
  });
});

describe('GetConfiguration', () => {
  it('shows every value as JSON with the place where it was written', async () => {
    const { values }: GetConfigurationResponse = await world.call(AdminService.method.getConfiguration, {});
    expect(values).toMatchObject([
      { key: 'server.listen', valueJson: '"127.0.0.1:7420"', source: 'svc.yaml:3:5' },
      { key: 'auth.token', valueJson: 'null', source: 'default' },
    ]);
  });

  it('is for unscoped admins only, as the doctor is', async () => {
    const scoped: Caller = { ...ADMIN, grants: [{ role: 'admin', namespace: 'system', readSecrets: true }] };
    const operator: Caller = { ...ADMIN, grants: [{ role: 'operator', readSecrets: true }] };
    const { getConfiguration, runDoctor } = AdminService.method;
    for (const [caller, reason] of [[scoped, 'SCOPE'] as const, [operator, 'ROLE'] as const]) {
      await expect(world.call(getConfiguration, {}, caller)).rejects.toMatchObject({ reason });
      await expect(world.call(runDoctor, {}, caller)).rejects.toMatchObject({ reason });
    }
  });
});
