// @service postgresql
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../base/index.ts';
import { DUMP_TABLES, type DumpRow, INSTANCE_LAST_BACKUP } from '../../store/contracts/index.ts';
import { PostgresServer, postgresProgram } from '../../store/postgres/testing/postgres-server.ts';
import { runSql, TestDatabases } from '../../store/postgres/testing/test-store.ts';
import { loadConfig } from '../config/index.ts';
import { AppUnderTest } from '../testing/index.ts';
import { createUpkeep } from './index.ts';
import { storeEngine } from './store-engine.ts';

const PASSPHRASE = 'a passphrase of the test';
const CONTENT = Buffer.from('bytes of a file, \u0000 and all');
const BASE64 = CONTENT.toString('base64');

const MANIFESTS = `
{kind: Namespace, metadata: {name: acme, labels: {tier: gold}}}
---
{kind: Agent, metadata: {name: helper, namespace: acme, annotations: {note: "a \\u00e9"}}, spec: {systemPrompt: "be kind"}}
---
{kind: Knowledge, metadata: {name: docs/one, namespace: acme}, spec: {path: docs/one, content: "# Tea\\nGreen tea is brewed cool."}}
---
{kind: Secret, metadata: {name: keys, namespace: acme}, spec: {stringData: {token: "s3cret"}}}
---
{kind: Channel, metadata: {name: room, namespace: acme}, spec: {title: Room}}
---
{kind: ChannelSubscription, metadata: {name: room/all, namespace: acme}, spec: {channel: room, agent: helper}}
---
{kind: Schedule, metadata: {name: daily, namespace: acme}, spec: {kind: interval, intervalSeconds: 86400, target: {agent: helper}, inputMessage: hello}}
---
{kind: Template, metadata: {name: skill, namespace: acme}, spec: {kind: Skill, specJson: "{}"}}
---
{kind: UsagePolicy, metadata: {name: limits, namespace: acme}, spec: {hard: [{metric: tool.calls, max: "5", window: 1m}]}}
`;

/** What differs by nature: facts of the process that wrote them. */
const OWN_FACTS: ReadonlySet<string> = new Set(['instance', 'leases', 'claims']);

type Json = Record<string, unknown>;
interface Item {
  readonly kind: string;
  readonly metadata: Json;
  readonly spec: Json;
}

/** A place where an instance lives. */
const placeOf = (dataDir: string, url?: string, faultPoint: (point: string) => void = () => undefined) => {
  const flags = { dataDir, ...(url === undefined ? {} : { 'store.url': url }) };
  const { config } = loadConfig({ flags, environment: {}, cwd: dataDir });
  const host = { clock: systemClock, random: systemRandom, log: silentLog, faultPoint };
  const rows = async (): Promise<Record<string, readonly DumpRow[]>> => {
    const dump = await storeEngine(config, host).dump(join(dataDir, 'copy.db'));
    const found: Record<string, readonly DumpRow[]> = {};
    for (const table of DUMP_TABLES)
      if (!OWN_FACTS.has(table.name)) found[table.name] = await Array.fromAsync(dump.rows(table));
    await dump.close();
    return found;
  };
  return { flags, rows, upkeep: createUpkeep(config, host) };
};

type Place = ReturnType<typeof placeOf>;

const fill = async ({ rest }: AppUnderTest): Promise<string> => {
  await rest.ok('POST /v1/manifests:apply', MANIFESTS, { 'content-type': 'application/yaml' });
  await rest.ok('POST /v1/ns/acme/files', {
    file: { spec: { path: '/notes/one.bin', retention: 'RETAINED' } },
    content: BASE64,
  });
  await rest.ok('POST /v1/ns/acme/channels/room/messages', { content: 'hello room' });
  const agents = '/v1/ns/acme/agents/helper/sessions';
  const { sessionId } = await rest.ok<{ sessionId: string }>(`POST ${agents}`, { labels: { who: 'me' } });
  const session = `${agents}/${sessionId}`;
  await rest.ok(`POST ${session}/message`, { message: 'first \u{1f375}', waitSeconds: 30 });
  return session;
};

/** What readers of the API see: resources with their versions, messages, bytes, secret values, hits of a search. */
const seen = async ({ rest }: AppUnderTest, session: string): Promise<unknown> => {
  const { resources } = await rest.ok<{ resources: Item[] }>('GET /v1/ns/acme/resources?pageSize=500');
  const { messages } = await rest.ok<{ messages: Json[] }>(`GET ${session}`);
  const files = await rest.ok<{ files: { metadata: { name: string } }[] }>('GET /v1/ns/acme/files');
  const bytes = await rest.fetch(`/v1/ns/acme/files/${files.files[0]?.metadata.name}/content`);
  const found = await rest.ok('POST /v1/ns/acme/agents/helper/knowledge/search', { query: 'green tea' });
  const posts = await rest.ok('GET /v1/ns/acme/channels/room/messages');
  const hash = createHash('sha256')
    .update(new Uint8Array(await bytes.arrayBuffer()))
    .digest('hex');
  return {
    resources: resources.map(({ kind, metadata, spec }) => ({ kind, metadata, spec })),
    messages,
    hash,
    found,
    posts,
  };
};

const move = async (from: Place, to: Place, file: string): Promise<void> => {
  await from.upkeep.backup({ file, passphrase: PASSPHRASE });
  await to.upkeep.restore({ file, passphrase: PASSPHRASE, isReplacing: false });
};

describe.skipIf(postgresProgram() === undefined)('a whole instance', () => {
  let server: PostgresServer;
  let databases: TestDatabases;
  let root = '';
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'svc-move-'));
    server = await PostgresServer.start();
    databases = new TestDatabases(server);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  it('moves from SQLite to PostgreSQL and back: resource by resource, message by message, hash by hash (48)', async () => {
    const sqlite = placeOf(join(root, 'one'));
    const postgres = placeOf(join(root, 'two'), await databases.create({ isEmpty: true }));
    const back = placeOf(join(root, 'three'));

    const first = await AppUnderTest.start(sqlite.flags);
    const session = await fill(first);
    const before = await seen(first, session);
    await first.close();
    expect(before).toMatchObject({ hash: createHash('sha256').update(CONTENT).digest('hex') });

    await move(sqlite, postgres, join(root, 'one.tar.zst'));
    expect(await postgres.rows()).toEqual(await sqlite.rows());
    const second = await AppUnderTest.start(postgres.flags);
    expect(await seen(second, session)).toEqual(before);
    await second.rest.ok(`POST ${session}/message`, { message: 'second', waitSeconds: 30 });
    const after = await seen(second, session);
    expect(after).not.toEqual(before);
    await second.close();

    await move(postgres, back, join(root, 'two.tar.zst'));
    expect(await back.rows()).toEqual(await postgres.rows());
    const third = await AppUnderTest.start(back.flags);
    expect(await seen(third, session)).toEqual(after);
    await third[Symbol.asyncDispose]();
  });

  it('goes into a database only when that is empty or may be replaced, and then what was there is kept', async () => {
    const source = placeOf(join(root, 'four'));
    const target = placeOf(join(root, 'five'), await databases.create());
    for (const place of [source, target]) {
      const app = await AppUnderTest.start(place.flags);
      await app.close();
    }
    const file = join(root, 'four.tar.zst');
    await source.upkeep.backup({ file });
    await expect(target.upkeep.restore({ file, isReplacing: false })).rejects.toMatchObject({
      reason: 'TARGET_NOT_EMPTY',
    });
    const { safety = '' } = await target.upkeep.restore({ file, isReplacing: true });
    expect(await target.rows()).toEqual(await source.rows());
    expect((await target.upkeep.check(safety)).manifest.engine).toBe('postgres');
    expect((await target.upkeep.moveSchema({ to: 'status' })).status.pending).toEqual([]);
  });

  it('that was killed while it was restored is restored again without a word, whatever it had come to', async () => {
    const source = placeOf(join(root, 'killed'));
    const app = await AppUnderTest.start(source.flags);
    await fill(app);
    await app.close();
    const file = join(root, 'killed.tar.zst');
    await source.upkeep.backup({ file });
    const rows = await source.rows();
    const unfinished = { code: 'FAILED_PRECONDITION', reason: 'RESTORE_UNFINISHED' };
    const outcomes: string[] = [];
    for (let end = 1, isDone = false; !isDone; end++) {
      const url = await databases.create();
      const target = placeOf(join(root, `killed-${end}`), url);
      // The archive has no keys in it.
      const keyless = { ...target.flags, 'secrets.acceptLostKeys': 'true' };
      let [steps, point] = [0, ''];
      const dying = placeOf(join(root, `killed-${end}`), url, (name) => {
        if (++steps !== end) return;
        point = name;
        throw new Error('killed');
      });
      isDone = await dying.upkeep.restore({ file, isReplacing: false }).then(
        () => true,
        () => false,
      );
      const [found] = await runSql(url, 'SELECT count(*)::integer AS rows FROM resources');
      const started = await AppUnderTest.start(keyless).then(
        async (running) => {
          await running.close();
          return 'starts';
        },
        (error: unknown) => {
          expect(error).toMatchObject(unfinished);
          return 'does not start';
        },
      );
      outcomes.push(`${point}: ${found?.['rows'] === 0 ? 'empty' : 'filled'}, ${started}`);
      if (started === 'starts') continue;
      // Neither the directory nor the database alone is taken for a whole one.
      await expect(target.upkeep.backup({ file: `${file}.${end}` })).rejects.toMatchObject(unfinished);
      if (found?.['rows'] !== 0) {
        const elsewhere = placeOf(join(root, `elsewhere-${end}`), url);
        await expect(elsewhere.upkeep.backup({ file: `${file}.${end}` })).rejects.toMatchObject(unfinished);
        await expect(AppUnderTest.start(elsewhere.flags)).rejects.toMatchObject(unfinished);
      }
      expect((await target.upkeep.restore({ file, isReplacing: false })).safety).toBeUndefined();
      expect(await target.rows()).toEqual(rows);
      const again = await AppUnderTest.start(keyless);
      await again.close();
    }
    expect([...new Set(outcomes)]).toEqual([
      'restore.unpacked: empty, starts',
      'restore.begin: empty, starts',
      'restore.loaded: filled, does not start',
      'restore.part: filled, does not start',
      'restore.end: filled, does not start',
      'restore.whole: filled, starts',
      'restore.ended: filled, starts',
      ': filled, starts',
    ]);
  }, 240_000);

  it('that was killed when it was restored already says so, until a server runs on it', async () => {
    const source = placeOf(join(root, 'done'));
    const app = await AppUnderTest.start(source.flags);
    await app.close();
    const file = join(root, 'done.tar.zst');
    await source.upkeep.backup({ file });
    const url = await databases.create();
    const dying = placeOf(join(root, 'done-twice'), url, (name) => {
      if (name === 'restore.ended') throw new Error('killed');
    });
    await expect(dying.upkeep.restore({ file, isReplacing: false })).rejects.toThrow('killed');
    const again = () => placeOf(join(root, 'done-twice'), url).upkeep.restore({ file, isReplacing: false });
    await expect(again()).rejects.toMatchObject({
      reason: 'TARGET_NOT_EMPTY',
      message: expect.stringContaining(`is complete, in ${join(root, 'done-twice')} and in the database of store.url`),
    });
    // Another database knows nothing of it.
    const other = placeOf(join(root, 'done-twice'), await databases.create());
    await expect(other.upkeep.restore({ file, isReplacing: false })).rejects.toThrow('is not empty');
    const running = await AppUnderTest.start(dying.flags);
    await running.close();
    await expect(again()).rejects.toThrow('is not empty');
  });

  it('that was killed at the last step says so to its own database only', async () => {
    const source = placeOf(join(root, 'own'));
    const app = await AppUnderTest.start(source.flags);
    await app.close();
    const file = join(root, 'own.tar.zst');
    await source.upkeep.backup({ file });
    const url = await databases.create();
    const dying = placeOf(join(root, 'two-lives'), url, (name) => {
      if (name === 'restore.whole') throw new Error('killed');
    });
    await expect(dying.upkeep.restore({ file, isReplacing: false })).rejects.toThrow('killed');
    // The directory goes on with another database, and is nothing that the first one could be completed by.
    const other = placeOf(join(root, 'two-lives'), await databases.create());
    await expect(other.upkeep.restore({ file, isReplacing: false })).rejects.toMatchObject({
      reason: 'TARGET_NOT_EMPTY',
    });
    const running = await AppUnderTest.start(other.flags);
    await running.close();
    const first = placeOf(join(root, 'two-lives'), url);
    await expect(AppUnderTest.start(first.flags)).rejects.toMatchObject({ reason: 'RESTORE_UNFINISHED' });
    await first.upkeep.restore({ file, isReplacing: true });
    const again = await AppUnderTest.start(first.flags);
    await again.close();
  });

  it('on PostgreSQL shares its data directory with other nodes, and lets nothing else happen to it', async () => {
    const dataDir = join(root, 'shared');
    const place = placeOf(dataDir, await databases.create());
    const first = await AppUnderTest.start(place.flags);
    const second = await AppUnderTest.start(place.flags);
    const file = join(root, 'shared.tar.zst');
    await expect(place.upkeep.backup({ file })).rejects.toMatchObject({ reason: 'DATA_DIR_IN_USE' });
    await first.close();
    await expect(place.upkeep.backup({ file })).rejects.toMatchObject({ reason: 'DATA_DIR_IN_USE' });
    await second.close();
    await place.upkeep.backup({ file });

    const third = await AppUnderTest.start(place.flags);
    const mistaken = placeOf(dataDir);
    const inUse = { reason: 'DATA_DIR_IN_USE' };
    await expect(mistaken.upkeep.restore({ file, isReplacing: true })).rejects.toMatchObject(inUse);
    await expect(AppUnderTest.start(mistaken.flags)).rejects.toMatchObject(inUse);
    await third.close();
  });

  it('in a database is backed up from a machine without a data directory, and only where one is', async () => {
    const order = { file: join(root, 'elsewhere.tar.zst') };
    const missing = { code: 'NOT_FOUND', reason: 'STORE_MISSING' };
    const bare = placeOf(join(root, 'nowhere'), await databases.create({ isEmpty: true }));
    await expect(bare.upkeep.backup(order)).rejects.toMatchObject(missing);
    const place = placeOf(join(root, 'elsewhere'), await databases.create());
    await place.upkeep.backup(order);
    expect((await place.upkeep.check(order.file)).manifest.engine).toBe('postgres');
  });

  it('that was backed up while its server was stopped says so to migrations that ask for a backup (PL-16)', async () => {
    const url = await databases.create();
    const place = placeOf(join(root, 'six'), url);
    const app = await AppUnderTest.start(place.flags);
    await app.close();
    const lastBackup = async () => {
      const [row] = await runSql(url, 'SELECT value FROM instance WHERE name = $1', [INSTANCE_LAST_BACKUP]);
      return Number(row?.['value'] ?? 0);
    };
    expect(await lastBackup()).toBe(0);
    for (const name of ['six', 'seven']) {
      const before = systemClock.nowMicros();
      await place.upkeep.backup({ file: join(root, `${name}.tar.zst`) });
      expect(await lastBackup()).toBeGreaterThanOrEqual(before);
    }
    await runSql(url, 'ALTER TABLE instance ADD CONSTRAINT read_only CHECK (false) NOT VALID');
    const file = join(root, 'eight.tar.zst');
    await place.upkeep.backup({ file });
    expect((await place.upkeep.check(file)).manifest.engine).toBe('postgres');
  });
});
