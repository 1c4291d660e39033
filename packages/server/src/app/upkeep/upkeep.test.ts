import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupService } from '../../features/platform/backups/backup-service.ts';
import { CursorCodec } from '../../runtime/stream/index.ts';
import { draft } from '../../store/conformance/index.ts';
import type { SessionRow, Store, StoreLoad, TurnRow } from '../../store/contracts/index.ts';
import { openSqliteDump } from '../../store/sqlite/index.ts';
import { restoreBackup } from './restore.ts';
import { StagedDirectory } from './staged-directory.ts';
import { type StoreEngine, storeEngine } from './store-engine.ts';
import { type Place, Places } from './testing/index.ts';

const PASSPHRASE = 'a passphrase of the test';

let places: Places;
beforeEach(() => {
  places = new Places();
});
afterEach(() => places.dispose());

const SESSION_ID = '01900000-0000-7000-8000-000000000001';
const SESSION: SessionRow = {
  id: SESSION_ID,
  namespace: 'default',
  agent: 'agent',
  state: 'PROCESSING',
  fence: 4,
  epoch: 0,
  createdAt: 1,
  lastActive: 1,
  openTurns: 1,
  activeTurnId: 'turn',
  admission: 1,
  lastMessageId: '',
  lastSequence: 0,
  labels: {},
  body: '{}',
};
const TURN: TurnRow = {
  id: 'turn',
  sessionId: SESSION_ID,
  namespace: 'default',
  agent: 'agent',
  admission: 1,
  state: 'RUNNING',
  ready: false,
  attempt: 1,
  fence: 4,
  worker: 'old worker',
  claimExpiresAt: Number.MAX_SAFE_INTEGER,
  stopRequested: false,
  wakeAt: 0,
  createdAt: 1,
  finishedAt: 0,
  userMessageId: '',
  body: '{}',
};

const note = async (store: Store, text: string): Promise<void> =>
  store.write((tx) => tx.instance.setValue('note', text));
const noteOf = async (place: Place): Promise<string | undefined> => {
  const { store } = await place.open();
  const text = await store.direct.instance.value('note');
  await store.close();
  return text;
};

/** A place whose store holds this note, and a backup of it. */
const backedUp = async (text: string, name = text): Promise<{ readonly place: Place; readonly file: string }> => {
  const place = places.place(name);
  const { store } = await place.open();
  await note(store, text);
  await store.close();
  const file = join(places.root, `${name}.tar.zst`);
  await place.upkeep.backup({ file });
  return { place, file };
};

describe('a backup of a store that is being written', () => {
  it('is restored elsewhere with equal contents: resources, messages, objects by hash', async () => {
    const place = places.place();
    const { store, blobs } = await place.open();
    const { clock, log } = places;
    const engine = storeEngine(place.config, places);
    const dir = join(places.root, 'backups');
    const openDump = (scratch: string) => engine.dump(scratch);
    const audit = () => Promise.resolve();
    const service = new BackupService({
      store,
      blobs,
      openDump,
      clock,
      audit,
      log,
      dir,
      version: '1',
      clusterId: 'svc',
    });
    let isOver = false;
    const writer = async (name: string): Promise<void> => {
      for (let count = 0; !isOver; count++) {
        const bytes = Buffer.from(`object ${name} ${count} ${'x'.repeat(count * 100)}`);
        const { sha256, sizeBytes } = await blobs.put(bytes);
        const at = { namespace: 'default', sha256, sizeBytes, mediaType: 'text/plain', at: 1 };
        await store.write(async (tx) => {
          await tx.objects.addReference({ ...at, holder: `message/${name}-${count}` });
          await tx.resources.insert(draft(`${name}-${count}`, { spec: JSON.stringify({ sha256 }) }));
          await tx.log.insertMessage({
            id: `${name}-${count}`,
            sessionId: name,
            role: 1,
            createdAt: 1,
            labels: {},
            turnId: '',
            revision: 1,
            parts: JSON.stringify([{ text: `message ${count}` }, { sha256 }]),
          });
        });
      }
    };
    const writers = ['a', 'b', 'c'].map(writer);
    const origin = { requestId: '', operation: 'test', caller: { identity: 'me' } };
    const made = await Promise.all([service.create('svc', origin), service.create('svc', origin)]).finally(() => {
      isOver = true;
      return Promise.all(writers);
    });
    const { path: file, manifest } = made[1];
    const source = await place.rows();
    await store.close();

    const target = places.place();
    await target.upkeep.restore({ file, isReplacing: false });
    const restored = await target.rows();
    expect(restored['resources']?.length).toBe(manifest.tables['resources']);
    expect(restored['resources']?.length).toBe(restored['messages']?.length);
    for (const table of ['resources', 'changes', 'messages', 'objects', 'object_references']) {
      const before = new Set(source[table]?.map((row) => JSON.stringify(row)));
      expect(restored[table]?.length).toBeGreaterThan(0);
      expect(restored[table]?.filter((row) => !before.has(JSON.stringify(row)))).toEqual([]);
    }
    const opened = await target.open();
    for (const { sha256 } of restored['objects'] ?? []) {
      const bytes = await opened.blobs.read(String(sha256));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
    const last = Number(restored['changes']?.at(-1)?.['version']);
    const { version } = await opened.store.write((tx) => tx.resources.insert(draft('next')));
    expect(version).toBeGreaterThan(last);
    await opened.store.close();
  });
});

describe('a restored store', () => {
  it('refuses the claims and cursors of before and takes running turns up as after a crash', async () => {
    const place = places.place();
    const { store } = await place.open();
    await store.write(async (tx) => {
      await tx.log.insertSession(SESSION);
      await tx.log.insertTurn(TURN);
      await tx.leases.acquire('sweep', 'old worker', tx.steadyNow(), 1_000_000_000);
      await tx.queue.put({ kind: 'k', key: 'taken', dueAt: 0, attempts: 0, payload: '' });
    });
    const taken = await store.write((tx) => tx.queue.take(['k'], tx.steadyNow(), 1_000_000, 1));
    const { epoch } = store;
    const cursor = new CursorCodec(epoch).encode({ sessionId: SESSION_ID, epoch: 0, sequence: 7 });
    await store.close();
    const file = join(places.root, 'a.tar.zst');
    await place.upkeep.backup({ file });
    const target = places.place();
    await target.upkeep.restore({ file, isReplacing: false });

    const { store: restored } = await target.open();
    expect(restored.epoch).not.toBe(epoch);
    const codec = new CursorCodec(restored.epoch);
    expect(() => codec.decode(cursor, SESSION)).toThrow(expect.objectContaining({ reason: 'CURSOR_EXPIRED' }));
    await restored.write(async (tx) => {
      const [news] = await tx.log.renewClaims('old worker', [{ turnId: 'turn', fence: 4 }], tx.steadyNow() + 1_000_000);
      expect(news?.held).toBe(false);
      expect((await tx.log.turn('turn'))?.worker).not.toBe('old worker');
      expect((await tx.log.expiredClaims(tx.steadyNow(), 9)).map(({ id }) => id)).toEqual(['turn']);
      expect((await tx.log.claimedTurns(undefined, 9)).map(({ id }) => id)).toEqual(['turn']);
      expect(await tx.leases.acquire('sweep', 'new worker', tx.steadyNow(), 1_000)).toBe(true);
      expect(await tx.queue.ack('k', 'taken', taken[0]?.token ?? '')).toBe(false);
    });
    await restored.close();
  });

  it('has another epoch each time', async () => {
    const { file } = await backedUp('a');
    const epochs = new Set<string>();
    for (const name of ['one', 'two']) {
      const target = places.place(name);
      await target.upkeep.restore({ file, isReplacing: false });
      const { store } = await target.open();
      epochs.add(store.epoch);
      await store.close();
    }
    expect(epochs.size).toBe(2);
  });
});

describe('a restore', () => {
  it('refuses a directory that is not empty, unless it may replace, and then keeps what was there', async () => {
    const [{ file }, other] = [await backedUp('first'), await backedUp('second')];
    const { upkeep, dataDir } = other.place;
    await expect(upkeep.restore({ file, isReplacing: false })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'TARGET_NOT_EMPTY',
    });
    expect(await noteOf(other.place)).toBe('second');
    const { safety = '' } = await upkeep.restore({ file, isReplacing: true });
    expect(await noteOf(other.place)).toBe('first');
    expect(readdirSync(dataDir).sort()).toEqual(expect.arrayContaining(['lock.db', 'objects', 'svc.db']));
    expect(existsSync(join(dataDir, 'restoring'))).toBe(false);
    expect(await noteOf(places.place(safety.slice(places.root.length + 1)))).toBe('second');
  });

  it('changes nothing for an archive with a changed byte, whichever it is', async () => {
    const [{ file }, other] = [await backedUp('first'), await backedUp('second')];
    const whole = readFileSync(file);
    for (let part = 0; part < 12; part++) {
      const changed = Buffer.from(whole);
      const at = Math.floor(((part + 0.5) * whole.length) / 12);
      changed[at] = (whole[at] ?? 0) ^ 4;
      writeFileSync(file, changed);
      const order = { file, isReplacing: true };
      await expect(other.place.upkeep.restore(order)).rejects.toMatchObject({ reason: 'ARCHIVE_DAMAGED' });
      const fresh = places.place();
      await expect(fresh.upkeep.restore(order)).rejects.toMatchObject({ reason: 'ARCHIVE_DAMAGED' });
      expect(existsSync(fresh.dataDir)).toBe(false);
    }
    expect(await noteOf(other.place)).toBe('second');
  });

  it('is refused while a server uses the directory', async () => {
    const { place, file } = await backedUp('first');
    const { store } = await place.open();
    const inUse = { reason: 'DATA_DIR_IN_USE' };
    expect(await place.upkeep.isInUse()).toBe(true);
    await expect(place.upkeep.restore({ file, isReplacing: true })).rejects.toMatchObject(inUse);
    await expect(place.upkeep.backup({ file: `${file}.2` })).rejects.toMatchObject(inUse);
    await expect(place.upkeep.moveSchema({ to: 'status' })).rejects.toMatchObject(inUse);
    await store.close();
    expect(await place.upkeep.isInUse()).toBe(false);
  });

  it('that fails half-way leaves what was there', async () => {
    const [{ file }, { place }] = [await backedUp('first'), await backedUp('second')];
    const real = storeEngine(place.config, places);
    const failing: StoreEngine = {
      ...real,
      load: async (path) => {
        const load = await real.load(path);
        return {
          insert: async (table, rows) => {
            if (table.name === 'activity' || table.name === 'instance') await load.insert(table, rows);
            if (rows.length > 0) throw new Error('no room on the disk');
          },
          finish: () => load.finish(),
          abandon: () => load.abandon(),
        };
      },
    };
    const order = { file, isReplacing: true, engine: failing };
    await expect(restoreBackup(place.config, places.host, order)).rejects.toThrow('no room');
    expect(existsSync(join(place.dataDir, 'restoring'))).toBe(false);
    expect(await noteOf(place)).toBe('second');
  });

  it('that was killed before the end is done again; until then nothing starts there', async () => {
    const [{ file }, { place }] = [await backedUp('first'), await backedUp('second')];
    const { dataDir, upkeep, config } = place;
    // As a process that ends inside `commit` leaves it: the marker stands, the old database is moved away.
    const staged = new StagedDirectory({ dataDir, isReplacing: true, nowMicros: 5, faultPoint: () => undefined });
    staged.begin();
    mkdirSync(join(dataDir, 'before-restore-5'));
    renameSync(join(dataDir, 'svc.db'), join(dataDir, 'before-restore-5', 'svc.db'));
    writeFileSync(join(dataDir, 'svc.db'), 'half of a new database');
    const unfinished = { code: 'FAILED_PRECONDITION', reason: 'RESTORE_UNFINISHED' };
    await expect(upkeep.backup({ file: `${file}.2` })).rejects.toMatchObject(unfinished);
    await expect(upkeep.moveSchema({ to: 'status' })).rejects.toMatchObject(unfinished);
    const { startApp } = await import('../index.ts');
    const host = { environment: {}, faultPoint: () => undefined, fatal: () => undefined };
    await expect(startApp(config, { ...host, ...pick(places) })).rejects.toMatchObject(unfinished);

    const { safety } = await upkeep.restore({ file, isReplacing: false });
    expect(safety).toBe(join(dataDir, 'before-restore-5'));
    expect(await noteOf(place)).toBe('first');
    expect(await noteOf(places.place('second/before-restore-5'))).toBe('second');
  });

  /** Restores, ending at the n-th step as a process that is killed there; how many steps were met, and what is left. */
  const endedAt = async (
    place: Place,
    order: { readonly file: string; readonly isReplacing: boolean },
    end: number,
  ) => {
    let steps = 0;
    places.faultPoint = () => {
      steps += 1;
      if (steps === end) throw new Error('killed');
    };
    const isDone = await place.upkeep.restore(order).then(
      () => true,
      () => false,
    );
    places.faultPoint = () => undefined;
    expect(isDone).toBe(steps < end);
    const isMarked = existsSync(join(place.dataDir, 'restore.json'));
    if (isMarked)
      await expect(place.upkeep.moveSchema({ to: 'status' })).rejects.toMatchObject({ reason: 'RESTORE_UNFINISHED' });
    return { isDone, isMarked };
  };

  it('may end at any of its steps: the old store is whole, or says that it must be restored again', async () => {
    const { file } = await backedUp('first');
    for (let end = 1, isDone = false; !isDone; end++) {
      const { place } = await backedUp('second', `second-${end}`);
      const left = await endedAt(place, { file, isReplacing: true }, end);
      ({ isDone } = left);
      if (!isDone) expect(end).toBeLessThan(40);
      if (isDone) expect(end).toBeGreaterThan(10);
      else if (!left.isMarked) expect(await noteOf(place)).toBe('second');
      if (!left.isMarked) continue;
      const { safety = '' } = await place.upkeep.restore({ file, isReplacing: false });
      expect(await noteOf(places.place(safety.slice(places.root.length + 1)))).toBe('second');
      expect(await noteOf(place)).toBe('first');
    }
  });

  it('into an empty directory may end at any of its steps: nothing is there, or it says so', async () => {
    const { file } = await backedUp('first');
    for (let end = 1, isDone = false; !isDone; end++) {
      const place = places.place();
      const left = await endedAt(place, { file, isReplacing: false }, end);
      ({ isDone } = left);
      if (!isDone) expect(end).toBeLessThan(40);
      if (!isDone && !left.isMarked) expect(place.upkeep.hasStore()).toBe(false);
      if (!isDone) await place.upkeep.restore({ file, isReplacing: false });
      expect(await noteOf(place)).toBe('first');
    }
  });

  it('into an empty directory that was killed leaves a directory that says so, and is done again', async () => {
    const { file } = await backedUp('first');
    const target = places.place();
    mkdirSync(target.dataDir);
    new StagedDirectory({
      dataDir: target.dataDir,
      isReplacing: false,
      nowMicros: 5,
      faultPoint: () => undefined,
    }).begin();
    writeFileSync(join(target.dataDir, 'svc.db'), 'half of a new database');
    await expect(target.upkeep.moveSchema({ to: 'status' })).rejects.toThrow('run `svc restore` again');
    expect((await target.upkeep.restore({ file, isReplacing: false })).safety).toBeUndefined();
    expect(await noteOf(target)).toBe('first');
  });

  it('keeps what is there though the directory was once restored together with a database elsewhere', async () => {
    const [{ file }, { place }] = [await backedUp('first'), await backedUp('second')];
    const leftover = join(place.dataDir, 'restored.json');
    const leave = () =>
      writeFileSync(leftover, JSON.stringify({ at: '2026-01-01T00:00:00.000Z', token: 'of another' }));
    leave();
    await expect(place.upkeep.restore({ file, isReplacing: false })).rejects.toMatchObject({
      reason: 'TARGET_NOT_EMPTY',
    });
    expect(await noteOf(place)).toBe('second');
    const { safety = '' } = await place.upkeep.restore({ file, isReplacing: true });
    expect([await noteOf(place), existsSync(leftover)]).toEqual(['first', false]);
    expect(await noteOf(places.place(safety.slice(places.root.length + 1)))).toBe('second');
    leave();
    const { startApp } = await import('../index.ts');
    const host = { environment: {}, faultPoint: () => undefined, fatal: () => undefined };
    const app = await startApp(place.config, { ...host, ...pick(places) });
    await app.close();
    expect(existsSync(leftover)).toBe(false);
  });
});

const pick = ({ clock, random, log }: Places) => ({ clock, random, log });

describe('keys', () => {
  const withKeys = async () => {
    const { place } = await backedUp('first');
    const keys = join(place.dataDir, 'keys');
    mkdirSync(keys, { mode: 0o700 });
    writeFileSync(join(keys, 'master.json'), '{"keys":[]}', { mode: 0o600 });
    writeFileSync(join(keys, 'notes.txt'), 'mine');
    const file = join(places.root, 'keys.tar.zst');
    await place.upkeep.backup({ file, passphrase: PASSPHRASE });
    return { place, file };
  };

  it('come back with their passphrase only, and only when somebody wants them', async () => {
    const { file } = await withKeys();
    const target = places.place();
    const restore = (more: object) => target.upkeep.restore({ file, isReplacing: true, ...more });
    await expect(restore({})).rejects.toMatchObject({ reason: 'PASSPHRASE_NEEDED' });
    await expect(restore({ passphrase: 'another passphrase' })).rejects.toMatchObject({ reason: 'PASSPHRASE' });
    expect(existsSync(target.dataDir)).toBe(false);
    await restore({ isWithoutKeys: true });
    expect(existsSync(join(target.dataDir, 'keys'))).toBe(false);
    expect((await restore({ passphrase: PASSPHRASE })).hasKeys).toBe(true);
    expect(readdirSync(join(target.dataDir, 'keys'))).toEqual(['master.json']);
    expect(readFileSync(join(target.dataDir, 'keys', 'master.json'), 'utf8')).toBe('{"keys":[]}');
  });

  it('of the target stay when the archive holds none, and need no passphrase', async () => {
    const [{ place }, { file }] = [await withKeys(), await backedUp('second')];
    await expect(place.upkeep.check(file, PASSPHRASE)).rejects.toMatchObject({ reason: 'KEYS_MISSING' });
    expect((await place.upkeep.check(file)).hasKeys).toBe(false);
    await place.upkeep.restore({ file, isReplacing: true });
    expect(existsSync(join(place.dataDir, 'keys', 'master.json'))).toBe(true);
  });

  it('that were there are never lost, also where nothing else was', async () => {
    const { file } = await withKeys();
    const target = places.place();
    mkdirSync(join(target.dataDir, 'keys'), { recursive: true });
    writeFileSync(join(target.dataDir, 'keys', 'master.json'), 'the keys of before');
    await target.upkeep.restore({ file, isReplacing: false, passphrase: PASSPHRASE });
    const aside = readdirSync(target.dataDir).find((name) => name.startsWith('keys-before-restore-')) ?? '';
    expect(readFileSync(join(target.dataDir, aside, 'master.json'), 'utf8')).toBe('the keys of before');
    expect(readFileSync(join(target.dataDir, 'keys', 'master.json'), 'utf8')).toBe('{"keys":[]}');
  });

  it('cannot be included where there are none', async () => {
    const { place } = await backedUp('first');
    const order = { file: join(places.root, 'k.tar.zst'), passphrase: PASSPHRASE };
    await expect(place.upkeep.backup(order)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'KEY_FILE' });
  });

  it('are added to what a running server wrote', async () => {
    const { place } = await withKeys();
    const { store, blobs } = await place.open();
    const { sha256: object } = await blobs.put(Buffer.from('an object'));
    await store.write((tx) => tx.objects.adopt(object, 9, 5));
    await store.close();
    const from = join(places.root, 'server.tar.zst');
    const { sha256, manifest: before } = await place.upkeep.backup({ file: from });
    const file = join(places.root, 'taken.tar.zst');
    const taken = await place.upkeep.fetch({ write: async () => ({ from, file, sha256 }), passphrase: PASSPHRASE });
    expect(taken).toMatchObject({ file, sizeBytes: statSync(file).size });
    expect(existsSync(from)).toBe(false);
    const { hasKeys, manifest } = await place.upkeep.check(file, PASSPHRASE);
    expect(hasKeys).toBe(true);
    expect(manifest).toEqual({ ...before, files: [...before.files, expect.objectContaining({ name: 'keys.sealed' })] });
    expect(manifest.objects.count).toBe(1);
  });
});

describe('a place without a store', () => {
  it('can neither be backed up nor migrated', async () => {
    const { upkeep, dataDir } = places.place();
    expect([upkeep.hasStore(), await upkeep.isInUse()]).toEqual([false, false]);
    const missing = { code: 'NOT_FOUND', reason: 'STORE_MISSING' };
    await expect(upkeep.backup({ file: join(places.root, 'x') })).rejects.toMatchObject(missing);
    await expect(upkeep.moveSchema({ to: 'status' })).rejects.toMatchObject(missing);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('the schema', () => {
  it('is shown, undone and applied', async () => {
    const { upkeep } = (await backedUp('first')).place;
    const { status } = await upkeep.moveSchema({ to: 'status' });
    expect(status.applied).toBe(status.known);
    const down = await upkeep.moveSchema({ to: 'down' });
    expect([down.moved.map(({ version }) => version), down.status.applied]).toEqual([[status.known], status.known - 1]);
    expect((await upkeep.moveSchema({ to: 'down', target: 1 })).status.applied).toBe(1);
    const up = await upkeep.moveSchema({ to: 'up', isAgreed: false });
    expect([up.moved.length, up.status.pending]).toEqual([status.known - 1, []]);
  });
});

describe('a database that is no file of the data directory', () => {
  /** SQLite as an engine of its own: its file stands where no staging reaches it. */
  const external = (place: Place): StoreEngine => {
    const real = storeEngine(place.config, places);
    const file = join(places.root, 'elsewhere.db');
    return {
      ...real,
      isEmbedded: false,
      isEmpty: async () => !existsSync(file),
      dump: (scratch) => openSqliteDump({ file, copy: scratch }),
      load: async () => {
        const load = await real.load(`${file}.new`);
        return { ...bound(load), finish: () => load.finish().then(() => renameSync(`${file}.new`, file)) };
      },
    };
  };
  const bound = (load: StoreLoad): StoreLoad => ({
    insert: (table, rows) => load.insert(table, rows),
    finish: () => load.finish(),
    abandon: () => load.abandon(),
  });
  const noteIn = (file: string): unknown => {
    const database = new DatabaseSync(file, { readOnly: true });
    const row = database.prepare(`SELECT value FROM instance WHERE name = 'note'`).get();
    database.close();
    return row?.['value'];
  };

  it('is filled when empty, refused when not, and replaced after an archive was made of it', async () => {
    const [{ file: first }, { file: second }] = [await backedUp('first'), await backedUp('second')];
    const place = places.place();
    const engine = external(place);
    const into = (file: string, isReplacing: boolean) =>
      restoreBackup(place.config, places.host, { file, isReplacing, engine });
    const elsewhere = join(places.root, 'elsewhere.db');
    expect((await into(first, false)).safety).toBeUndefined();
    expect(noteIn(elsewhere)).toBe('first');
    rmSync(join(place.dataDir, 'objects'), { recursive: true });
    await expect(into(second, false)).rejects.toMatchObject({ reason: 'TARGET_NOT_EMPTY' });
    expect(noteIn(elsewhere)).toBe('first');
    const { safety = '' } = await into(second, true);
    expect(noteIn(elsewhere)).toBe('second');
    expect((await place.upkeep.check(safety)).manifest.tables['instance']).toBeGreaterThan(0);
    expect(existsSync(join(place.dataDir, 'restore.json'))).toBe(false);
  });

  it('that was restored by a command that was killed before it said so is complete', async () => {
    const { file } = await backedUp('first');
    const place = places.place();
    let epoch: string | undefined;
    const engine: StoreEngine = {
      ...external(place),
      endRestore: () => Promise.reject(new Error('killed')),
      epoch: async () => epoch,
    };
    const order = { file, isReplacing: false, engine };
    await expect(restoreBackup(place.config, places.host, order)).rejects.toThrow('killed');
    const { token } = JSON.parse(readFileSync(join(place.dataDir, 'restored.json'), 'utf8')) as { token: string };
    await expect(restoreBackup(place.config, places.host, order)).rejects.toThrow('is not empty');
    epoch = token;
    const done = { reason: 'TARGET_NOT_EMPTY', message: expect.stringContaining('is complete') };
    await expect(restoreBackup(place.config, places.host, order)).rejects.toMatchObject(done);
  });

  it('whose load fails at its end says that it must be restored again', async () => {
    const { file } = await backedUp('first');
    const place = places.place();
    const real = external(place);
    const engine: StoreEngine = {
      ...real,
      load: async (path) => ({
        ...bound(await real.load(path)),
        finish: () => Promise.reject(new Error('the connection is gone')),
      }),
    };
    const order = { file, isReplacing: false, engine };
    await expect(restoreBackup(place.config, places.host, order)).rejects.toThrow('the connection is gone');
    await expect(place.upkeep.moveSchema({ to: 'status' })).rejects.toMatchObject({ reason: 'RESTORE_UNFINISHED' });
    await restoreBackup(place.config, places.host, { ...order, engine: external(place) });
    expect(noteIn(join(places.root, 'elsewhere.db'))).toBe('first');
  });
});
