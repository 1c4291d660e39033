import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import type { InstanceValues, ReadTx, StoreDump, WriteTx } from '../../../store/contracts/index.ts';
import { backupOperations } from './backup-operations.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { BackupService } from './backup-service.ts';
import { pendingBackup } from './pending-backup.ts';
import { createObjects, tableDump } from './testing/index.ts';

/** 2026-03-01T12:00:00Z. */
const START = 1_772_366_400_000_000;
const origin = { requestId: 'r', operation: 'CreateBackup', caller: { identity: 'ada' } };

let dir: string;
let clock: ManualClock;
let values: Map<string, string>;
let audited: unknown[];
let warned: unknown[];
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'svc-backups-')), 'deep', 'down');
  clock = new ManualClock(START);
  values = new Map();
  audited = [];
  warned = [];
});
afterEach(() => rmSync(join(dir, '..', '..'), { recursive: true, force: true }));

const store = {
  direct: { instance: { value: async (name: string) => values.get(name) } } as unknown as ReadTx,
  write: <T>(work: (tx: WriteTx) => Promise<T>): Promise<T> => {
    const instance: InstanceValues = {
      value: async (name) => values.get(name),
      setValue: async (name, value) => void values.set(name, value),
      removeValue: async (name) => void values.delete(name),
    };
    return work({ instance, now: () => 77 } as Partial<WriteTx> as WriteTx);
  },
};

const serviceOf = (openDump: (scratch: string) => Promise<StoreDump> = async () => tableDump({})): BackupService =>
  new BackupService({
    ...{ store, openDump, clock, dir, version: '1.0.0', clusterId: 'svc' },
    blobs: createObjects([]).blobs,
    audit: async (_tx, by, entry) => void audited.push([by.caller.identity, entry.target, entry.outcome]),
    log: { ...silentLog, warn: (message, facts) => void warned.push([message, facts]) },
  });

describe('a backup of the server', () => {
  it('gets a name by its time, is noted in the store and in the audit log', async () => {
    const service = serviceOf();
    const { path, sha256, sizeBytes } = await service.create('svc', origin);
    expect(path).toBe(join(dir, 'svc-20260301-120000-000000.tar.zst'));
    expect([sha256, sizeBytes]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.any(Number)]);
    expect(values.get('backup.last')).toBe('77');
    expect(audited).toEqual([['ada', `Backup/${path}`, 'created']]);
    const [operation] = backupOperations(service);
    expect(operation?.method).toBe(AdminService.method.createBackup);
    if (operation?.kind !== 'unary') throw new Error('CreateBackup is a plain call');
    const answer = await operation.handle({ $typeName: 'svc.gateway.CreateBackupRequest' }, origin as never);
    expect(answer).toMatchObject({ path: join(dir, 'svc-20260301-120000-000001.tar.zst') });
    expect(readdirSync(dir)).toHaveLength(2);
  });

  it('is written after the one before it, never beside it', async () => {
    let open = 0;
    let most = 0;
    const service = serviceOf(async () => {
      most = Math.max(most, ++open);
      const dump = tableDump({});
      return {
        engine: dump.engine,
        schema: dump.schema,
        rows: dump.rows,
        close: async () => {
          open -= 1;
        },
      };
    });
    await Promise.all([
      service.create('svc', origin),
      service.create('scheduled', origin),
      service.create('svc', origin),
    ]);
    expect([most, open]).toEqual([1, 0]);
    expect(readdirSync(dir)).toHaveLength(3);
  });

  it('that cannot be written is a fault which names the directory; the next one is made', async () => {
    writeFileSync(join(dir, '..', '..', 'deep'), 'a file is in the way');
    const service = serviceOf();
    await expect(service.create('svc', origin)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'BACKUP_DIR',
      message: expect.stringContaining(dir),
    });
    rmSync(join(dir, '..', '..', 'deep'));
    expect((await service.create('svc', origin)).path).toContain(dir);
    expect(values.size).toBe(1);
  });

  it('fails as its store does, and closes the dump whatever happens', async () => {
    const gone = new Fault('UNAVAILABLE', 'STORAGE', 'the store is gone');
    await expect(serviceOf(() => Promise.reject(gone)).create('svc', origin)).rejects.toBe(gone);
    const dump = tableDump({});
    const closing = { engine: 'fake', schema: 1, rows: () => brokenRows(), close: () => dump.close() };
    await expect(serviceOf(async () => closing).create('svc', origin)).rejects.toMatchObject({ reason: 'BACKUP_DIR' });
    expect(dump.isClosed).toBe(true);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('removes what a killed process left more than a day ago, and nothing else', async () => {
    const service = serviceOf();
    await service.create('svc', origin);
    const old = ['svc-20260227-120000-000000.tar.zst.part', 'scheduled-20260227-120000-000000.tar.zst.scratch-journal'];
    const kept = ['svc-20260301-110000-000000.tar.zst.scratch', 'svc-20200101-000000-000000.tar.zst', 'mine.part'];
    for (const name of [...old, ...kept]) writeFileSync(join(dir, name), '');
    await service.create('svc', origin);
    const names = readdirSync(dir);
    expect(old.filter((name) => names.includes(name))).toEqual([]);
    expect(kept.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('warns of objects that are lost', async () => {
    const objects = [{ sha256: 'a'.repeat(64), size_bytes: 1, unreferenced_at: 0 }];
    const { path } = await serviceOf(async () => tableDump({ objects })).create('svc', origin);
    expect(warned).toEqual([[expect.stringContaining('missing from the backup'), { path, lost: 1 }]]);
  });

  it('is given up when the server stops, and none begins afterwards', async () => {
    const begun = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const service = serviceOf(async () => {
      begun.resolve();
      await going.promise;
      return tableDump({});
    });
    const made = service.create('svc', origin);
    await begun.promise;
    const closed = service.close();
    going.resolve();
    const stopping = { code: 'UNAVAILABLE', reason: 'SHUTTING_DOWN' };
    await expect(made).rejects.toMatchObject(stopping);
    await closed;
    await expect(service.create('svc', origin)).rejects.toMatchObject(stopping);
    expect(readdirSync(dir)).toEqual([]);
  });
});

// biome-ignore lint/correctness/useYield: it fails before
async function* brokenRows(): AsyncGenerator<never> {
  throw new Error('no space left on device');
}

describe('scheduled backups', () => {
  const HOUR_MS = 3_600_000;
  const next = (afterMs: number): number => (Math.floor(afterMs / HOUR_MS) + 1) * HOUR_MS;
  const scheduleOf = (keep = 2, service = serviceOf()): BackupSchedule =>
    new BackupSchedule({ ...{ service, store, clock, next, keep, random: seededRandom(3) }, log: logOf() });
  const logOf = () => ({
    ...silentLog,
    error: (message: string, facts?: object) => void warned.push([message, facts]),
  });

  it('are made when they are due, not before, and once for times that passed', async () => {
    const schedule = scheduleOf();
    expect(await schedule.tick()).toBe(false);
    clock.advance(HOUR_MS - 1);
    expect(await schedule.tick()).toBe(false);
    clock.advance(1);
    expect([await schedule.tick(), await schedule.tick()]).toEqual([true, false]);
    clock.advance(5 * HOUR_MS);
    expect([await schedule.tick(), await schedule.tick()]).toEqual([true, false]);
    expect(readdirSync(dir).sort()).toEqual([
      'scheduled-20260301-130000-000000.tar.zst',
      'scheduled-20260301-180000-000000.tar.zst',
    ]);
  });

  it('are kept as many as configured; those of people stay', async () => {
    const service = serviceOf();
    const schedule = scheduleOf(2, service);
    await service.create('svc', origin);
    writeFileSync(join(dir, 'scheduled-notes.txt'), '');
    for (let hour = 0; hour < 4; hour++) {
      clock.advance(HOUR_MS);
      await schedule.tick();
    }
    expect(readdirSync(dir).sort()).toEqual([
      'scheduled-20260301-150000-000000.tar.zst',
      'scheduled-20260301-160000-000000.tar.zst',
      'scheduled-notes.txt',
      'svc-20260301-120000-000000.tar.zst',
    ]);
  });

  it('are made by one node only', async () => {
    const [one, other] = [scheduleOf(), scheduleOf()];
    clock.advance(HOUR_MS);
    expect([await one.tick(), await other.tick()]).toEqual([true, false]);
    clock.advance(HOUR_MS);
    expect([await other.tick(), await one.tick()]).toEqual([true, false]);
  });

  it('go on when a clock that was far ahead is set right, before or by a restart, and the newest ones stay', async () => {
    const running = scheduleOf(2);
    clock.stepWallClock(10_000 * HOUR_MS);
    expect(await running.tick()).toBe(true);
    clock.advance(HOUR_MS);
    expect(await running.tick()).toBe(true);
    clock.stepWallClock(-10_000 * HOUR_MS);
    expect(await running.tick()).toBe(false);
    clock.advance(HOUR_MS);
    expect(await running.tick()).toBe(true);
    const restarted = scheduleOf(2);
    for (let hour = 0; hour < 2; hour++) {
      clock.advance(HOUR_MS);
      expect(await restarted.tick()).toBe(true);
    }
    expect(readdirSync(dir).sort()).toEqual([
      'scheduled-20260301-150000-000000.tar.zst',
      'scheduled-20260301-160000-000000.tar.zst',
    ]);
  });

  it('are not made again when the clock is set back a little', async () => {
    const schedule = scheduleOf(2);
    clock.advance(HOUR_MS);
    expect(await schedule.tick()).toBe(true);
    clock.stepWallClock(-2_000);
    expect(await schedule.tick()).toBe(false);
    clock.advance(2_000);
    expect([await schedule.tick(), readdirSync(dir).length]).toEqual([false, 1]);
  });

  /** A service whose store does not answer until it is mended. */
  const breakable = () => {
    const state = { isBroken: true };
    const service = serviceOf(async () => {
      if (state.isBroken) throw new Fault('UNAVAILABLE', 'STORAGE', 'not now');
      return tableDump({});
    });
    return { state, service };
  };

  it('that fail are told, and tried again after growing waits until one is made', async () => {
    const { state, service } = breakable();
    const schedule = scheduleOf(2, service);
    clock.advance(HOUR_MS);
    const dueMs = clock.nowMicros() / 1000;
    const waits: number[] = [];
    for (let tries = 1; tries <= 4; tries++) {
      expect(await schedule.tick()).toBe(false);
      const pending = await pendingBackup(store.direct);
      expect(pending).toMatchObject({ dueMs, tries, problem: 'not now' });
      waits.push((pending?.nextMs ?? 0) - clock.nowMicros() / 1000);
      clock.advance((waits.at(-1) ?? 0) - 1);
      expect([await schedule.tick(), (await pendingBackup(store.direct))?.tries]).toEqual([false, tries]);
      clock.advance(1);
    }
    expect(waits.map((wait) => Math.round(Math.log2(wait / 60_000)) + 0)).toEqual([0, 1, 2, 3]);
    expect(warned).toHaveLength(4);
    expect(warned[0]).toEqual(['a scheduled backup failed', expect.objectContaining({ tries: 1, problem: 'not now' })]);
    state.isBroken = false;
    expect([await schedule.tick(), await pendingBackup(store.direct)]).toEqual([true, undefined]);
    expect([await schedule.tick(), readdirSync(dir).length]).toEqual([false, 1]);
  });

  it('that fail on one node, or with a process that was killed, are made by any other', async () => {
    const { service } = breakable();
    const [failing, sound, third] = [scheduleOf(2, service), scheduleOf(), scheduleOf()];
    clock.advance(HOUR_MS);
    expect([await failing.tick(), await sound.tick()]).toEqual([false, false]);
    clock.advance(60_000);
    expect(await Promise.all([sound.tick(), third.tick()])).toEqual([true, false]);
    clock.advance(HOUR_MS);
    const killed = new Promise<never>(() => undefined);
    const dying = scheduleOf(2, { create: () => killed, prune: async () => undefined } as unknown as BackupService);
    clock.advance(HOUR_MS);
    void dying.tick();
    await expect.poll(async () => (await pendingBackup(store.direct))?.tries).toBe(1);
    const survivor = new BackupSchedule({
      ...{ service: serviceOf(), store, clock, keep: 9, random: seededRandom(4), log: logOf() },
      next: () => undefined,
    });
    expect(await survivor.tick()).toBe(false);
    clock.advance(6 * HOUR_MS);
    expect([await survivor.tick(), await pendingBackup(store.direct)]).toEqual([true, undefined]);
  });

  it('give up what is owed when the next one is due', async () => {
    const { state, service } = breakable();
    const schedule = scheduleOf(2, service);
    clock.advance(HOUR_MS);
    expect(await schedule.tick()).toBe(false);
    state.isBroken = false;
    clock.advance(HOUR_MS);
    expect([await schedule.tick(), await schedule.tick(), readdirSync(dir).length]).toEqual([true, false, 1]);
  });

  it('are made once though old ones cannot be removed', async () => {
    const sound = serviceOf();
    const prune = () => Promise.reject(new Error('not allowed'));
    const schedule = scheduleOf(1, { create: sound.create.bind(sound), prune } as unknown as BackupService);
    clock.advance(HOUR_MS);
    expect([await schedule.tick(), await pendingBackup(store.direct)]).toEqual([true, undefined]);
    expect(warned).toEqual([
      ['old scheduled backups could not be removed', expect.objectContaining({ keep: 1, problem: 'not allowed' })],
    ]);
    clock.advance(60_000);
    expect([await schedule.tick(), readdirSync(dir).length]).toEqual([false, 1]);
  });

  it.each(['made', 'failed'])(
    'that are %s late leave the next one owed, which another node has taken meanwhile',
    async (end) => {
      const late = Promise.withResolvers<void>();
      const never = new Promise<never>(() => undefined);
      const [slow, dying] = [late.promise, never].map((create) =>
        scheduleOf(2, { create: () => create, prune: async () => undefined } as unknown as BackupService),
      );
      clock.advance(HOUR_MS);
      const ending = slow!.tick();
      await expect.poll(async () => (await pendingBackup(store.direct))?.tries).toBe(1);
      expect(await dying!.tick()).toBe(false);
      clock.advance(HOUR_MS);
      const dueMs = clock.nowMicros() / 1000;
      void dying!.tick();
      await expect.poll(async () => (await pendingBackup(store.direct))?.dueMs).toBe(dueMs);
      if (end === 'made') late.resolve();
      else late.reject(new Error('too late'));
      expect(await ending).toBe(end === 'made');
      expect(await pendingBackup(store.direct)).toMatchObject({ dueMs, tries: 1, problem: '' });
    },
  );

  it('that failed are owed no more once one was made by hand, as the doctor says', async () => {
    const schedule = scheduleOf(2, breakable().service);
    clock.advance(HOUR_MS);
    await schedule.tick();
    await serviceOf().create('svc', origin);
    expect(await pendingBackup(store.direct)).toBeUndefined();
    clock.advance(60_000);
    expect([await schedule.tick(), await pendingBackup(store.direct)]).toEqual([false, undefined]);
  });

  it('that are under way for the first time stay owed whatever is made by hand', async () => {
    const never = { create: () => new Promise<never>(() => undefined), prune: async () => undefined };
    const schedule = scheduleOf(2, never as unknown as BackupService);
    clock.advance(HOUR_MS);
    void schedule.tick();
    await expect.poll(async () => (await pendingBackup(store.direct))?.tries).toBe(1);
    await serviceOf().create('svc', origin);
    expect(await pendingBackup(store.direct)).toMatchObject({ tries: 1, problem: '' });
  });

  it('end with a schedule that has no further time', async () => {
    const service = serviceOf();
    const schedule = new BackupSchedule({
      ...{ service, store, clock, keep: 1, random: seededRandom(3), log: logOf() },
      next: () => undefined,
    });
    clock.advance(HOUR_MS);
    expect(await schedule.tick()).toBe(false);
  });
});
