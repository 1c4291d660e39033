import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RestCaller, type SessionKey, textOf } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { MockModel } from './mock-model/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

/** Each test starts a dozen processes. */
const LONG = { timeout: 180_000 };
const PASSPHRASE = 'the passphrase of this test';

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
let home: Home;
let folder: string;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  home = new Home();
  folder = mkdtempSync(join(tmpdir(), 'svc-backup-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the real command with pipes. */
const svc = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const command = home.run(words, environment);
  const code = await command.ended();
  return { code, out: command.stdout, err: command.stderr };
};

interface Agent {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: object;
}
const agentsOf = async (caller: RestCaller): Promise<readonly Agent[]> =>
  (await caller.ok<{ agents: readonly Agent[] }>('GET /v1/ns/default/agents?pageSize=1000')).agents;

/** Names of all objects below a data directory; those that are not compressed are hashed. */
const objectsIn = (dataDir: string): readonly string[] =>
  readdirSync(join(dataDir, 'objects', 'sha256'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      if (!entry.name.endsWith('.zst'))
        expect(
          createHash('sha256')
            .update(readFileSync(join(entry.parentPath, entry.name)))
            .digest('hex'),
        ).toBe(entry.name);
      return entry.name;
    })
    .sort();

it('a backup made while everything is written is restored elsewhere whole, and goes on from there', LONG, async () => {
  await rest.createAgent('writer');
  const image = {
    partType: 'IMAGE',
    name: 'a.png',
    payloadJson: JSON.stringify({ url: 'data:image/png;base64,iVBORw0KGgo=' }),
  };
  const quiet = await rest.createSession('writer');
  await rest.send(quiet, 'words 5', { waitSeconds: 30, parts: [image] });
  const running = await rest.createSession('writer');
  await rest.send(running, 'words 6\ngate half 3');
  await model.arrivedAt('half');
  const { streamCursor } = await rest.messagePage(running);

  let isOver = false;
  const busy: SessionKey[] = [];
  const writer = async (name: string): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      await rest.createAgent(`agent-${name}-${count}`);
      const session = await rest.createSession('writer');
      await rest.send(session, `words ${count % 7}`, { waitSeconds: 30 });
      busy.push(session);
    }
  };
  const writers = ['a', 'b', 'c'].map(writer);
  await until('some is written', async () => busy.length > 5 || undefined);
  const file = join(folder, 'a.tar.zst');
  const made = await svc(['backup', file, '--server', server.url, '--include-keys'], {
    ...{ SVC_DATA_DIR: server.dataDir, SVC_PASSPHRASE: PASSPHRASE },
  });
  expect([made.code, made.out]).toEqual([0, `${file}\n`]);
  isOver = true;
  await Promise.all(writers);
  expect(readdirSync(join(server.dataDir, 'backups'))).toEqual([]);

  const checked = await svc(['backup', '--verify', file, '-o', 'json'], { SVC_PASSPHRASE: PASSPHRASE });
  expect(JSON.parse(checked.out)).toMatchObject({ hasKeys: true, lost_objects: [], engine: 'sqlite' });
  const dataDir = join(folder, 'restored');
  const restored = await svc(['restore', file, '--data-dir', dataDir], { SVC_PASSPHRASE: PASSPHRASE });
  expect([restored.code, restored.out]).toEqual([0, `${dataDir}\n`]);
  const keys = ['keys', 'master.json'];
  expect(readFileSync(join(dataDir, ...keys)).equals(readFileSync(join(server.dataDir, ...keys)))).toBe(true);
  expect(objectsIn(dataDir)).toEqual(objectsIn(server.dataDir));

  await using other = await ServerProcess.start({ dataDir, environment: model.environment });
  const there = new RestCaller(other.url);
  const before = new Map((await agentsOf(rest)).map((agent) => [agent.metadata.name, agent]));
  const agents = await agentsOf(there);
  expect(agents.length).toBeGreaterThan(5);
  for (const { metadata, spec } of agents) {
    // Controllers went on writing states at the source.
    const source = before.get(metadata.name);
    expect([metadata.uid, spec]).toEqual([source?.metadata.uid, source?.spec]);
  }
  let known = 0;
  for (const session of [quiet, ...busy]) {
    const answer = await there.call(`GET ${there.sessionPath(...session)}`);
    if (answer.status === 404) continue;
    await until('the session is idle', async () => (await there.state(session)) === 'IDLE' || undefined);
    const [here, copy] = [await rest.messages(session), await there.messages(session)];
    known += 1;
    expect(copy.map(textOf)).toEqual(here.map(textOf).slice(0, copy.length));
  }
  expect(known).toBeGreaterThan(5);
  expect(await there.messages(quiet)).toEqual(await rest.messages(quiet));

  const late = await there.fetch(`${there.sessionPath(...running)}/stream?after=${streamCursor}`);
  expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('CURSOR_EXPIRED')]);
  model.open('half');
  await until('the turn went on', async () => (await there.state(running)) === 'IDLE' || undefined);
  expect((await there.messages(running)).map(textOf)).toEqual(['words 6\ngate half 3', 'w0 w1 w2 w3 w4 w5 ']);
  await there.createAgent('after-the-restore');
  const versions = (await agentsOf(there)).map(({ metadata }) => Number(metadata.resourceVersion));
  const newest = (await agentsOf(there)).find(({ metadata }) => metadata.name === 'after-the-restore');
  expect(Number(newest?.metadata.resourceVersion)).toBe(Math.max(...versions));

  const busyTarget = await svc(['restore', file, '--replace', '--data-dir', dataDir], { SVC_PASSPHRASE: PASSPHRASE });
  expect([busyTarget.code, busyTarget.err]).toEqual([1, expect.stringContaining('DATA_DIR_IN_USE')]);
});

it(
  'a store without a server is backed up, replaced and migrated by commands alone, also when they are killed',
  LONG,
  async () => {
    const place = join(folder, 'offline');
    {
      await using first = await ServerProcess.start({ dataDir: place });
      await new RestCaller(first.url).createAgent('kept');
      await first.stop();
    }
    const file = join(folder, 'offline.tar.zst');
    expect((await svc(['backup', file, '--data-dir', place])).out).toBe(`${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await svc(['backup', file, '--data-dir', place])).code).toBe(1);
    expect(await svc(['restore', file, '--data-dir', place])).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('TARGET_NOT_EMPTY') },
    });

    const bytes = readFileSync(file);
    for (const part of [0.02, 0.3, 0.6, 0.97, 0.999]) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(bytes.length * part);
      damaged[at] = (bytes[at] ?? 0) ^ 1;
      const changed = join(folder, 'changed.tar.zst');
      writeFileSync(changed, damaged);
      const refused = await svc(['restore', changed, '--data-dir', join(folder, 'never')]);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('the archive is damaged')]);
    }
    expect(existsSync(join(folder, 'never'))).toBe(false);

    const replaced = await svc(['restore', file, '--replace', '--data-dir', place, '-o', 'json']);
    const { safety } = JSON.parse(replaced.out) as { safety: string };
    expect(existsSync(join(safety, 'svc.db'))).toBe(true);
    expect((await svc(['migrate', 'down', '--to', '2', '--data-dir', place])).out).toContain('undone');
    const manual = await ServerProcess.refusal({ dataDir: place, environment: { SVC_STORE_MIGRATE: 'manual' } });
    expect(manual.log).toContain('svc migrate up');
    expect((await svc(['migrate', 'up', '--data-dir', place])).out).toContain('applied');

    const cut = join(folder, 'cut');
    cpSync(place, cut, { recursive: true });
    const ended = await svc(['restore', file, '--replace', '--data-dir', cut], { SVC_FAULT_POINT: 'restore.unpacked' });
    expect(ended.code).toBe(null);
    expect((await svc(['migrate', 'status', '--data-dir', cut])).code).toBe(0);
    for (const point of ['restore.part:3', 'restore.end']) {
      const killed = await svc(['restore', file, '--replace', '--data-dir', cut], { SVC_FAULT_POINT: point });
      expect(killed.code).toBe(null);
      expect((await ServerProcess.refusal({ dataDir: cut })).log).toContain('run `svc restore` again');
    }
    expect((await svc(['restore', file, '--data-dir', cut])).code).toBe(0);
    await using last = await ServerProcess.start({ dataDir: cut });
    expect((await agentsOf(new RestCaller(last.url))).map(({ metadata }) => metadata.name)).toContain('kept');
  },
);
