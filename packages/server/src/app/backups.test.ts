import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { utcCron } from '../features/coordination/schedules/index.ts';
import { backupsModule } from '../features/platform/backups/index.ts';
import { AppUnderTest } from './testing/index.ts';
import { storeEngine } from './upkeep/index.ts';
import { Places } from './upkeep/testing/index.ts';

let places: Places;
beforeEach(() => {
  places = new Places();
});
afterEach(() => places.dispose());

const wired = async (flags: Readonly<Record<string, string>>) => {
  const { config, open, upkeep } = places.place('server', flags);
  const { store, blobs } = await open();
  const { clock, random, log } = places;
  const backups = backupsModule({
    store,
    blobs,
    clock,
    random,
    log,
    audit: async () => undefined,
    utcCron,
    openDump: async (scratch) => storeEngine(config, places).dump(scratch),
    version: config.transport.version,
    clusterId: config.clusterId,
    settings: config.settings,
  });
  const { jobs = [], operations = [], close } = backups;
  return { jobs, operations, close, store, dir: config.settings['backup.dir'], upkeep };
};

describe('backups by configuration', () => {
  it('are made at the times of backup.schedule, of which backup.keep stay', async () => {
    const { jobs, store, dir, close, upkeep } = await wired({ 'backup.schedule': '*/5 * * * *', 'backup.keep': '2' });
    const [job] = jobs;
    expect(await job?.tick()).toBe(false);
    for (let times = 0; times < 4; times++) {
      places.clock.advance(5 * 60_000);
      expect(await job?.tick()).toBe(true);
    }
    const names = readdirSync(dir);
    expect(names).toHaveLength(2);
    expect((await upkeep.check(`${dir}/${names[0]}`)).manifest.svc).not.toBe('');
    await close();
    await store.close();
  });

  it('are made by call only where there is no schedule', async () => {
    const { jobs, operations, store, close } = await wired({});
    expect(jobs).toEqual([]);
    expect(operations.map(({ method }) => method.name)).toEqual(['CreateBackup']);
    await close();
    await store.close();
  });
});

describe('CreateBackup', () => {
  it('answers the file with its size and hash, and is in the audit log', async () => {
    await using app = await AppUnderTest.start();
    const made = await app.rest.ok<{ path: string; sizeBytes: string; sha256: string }>('POST /v1/admin/backups', {});
    const bytes = readFileSync(made.path);
    expect(made).toMatchObject({
      sizeBytes: String(bytes.length),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const { records } = await app.rest.ok<{ records: readonly { operation: string; target: string }[] }>(
      'GET /v1/auth/audit?pageSize=5',
    );
    expect(records.find(({ target }) => target === `Backup/${made.path}`)?.operation).toContain('CreateBackup');
    await app.close();
    expect(existsSync(`${made.path}.scratch`)).toBe(false);
  });
});
