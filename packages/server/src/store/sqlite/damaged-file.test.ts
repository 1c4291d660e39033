import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import { openSqliteMigrations, openSqliteStore } from './index.ts';

it('a file that is no database says so at the start and to migrations, and lets go of its directory', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-damaged-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  writeFileSync(join(dataDir, 'svc.db'), Buffer.alloc(8_192, 7));
  const around = { dataDir, clock: new ManualClock(), log: silentLog };
  const fatal = (error: unknown): never => {
    throw error;
  };
  const damaged = { code: 'DATA_LOSS', reason: 'STORE_DAMAGED', message: expect.stringContaining('svc.db is damaged') };
  await expect(openSqliteStore({ ...around, random: seededRandom(1), fatal, durability: 'off' })).rejects.toMatchObject(
    damaged,
  );
  await expect(openSqliteMigrations(around)).rejects.toMatchObject(damaged);
  rmSync(join(dataDir, 'svc.db'));
  const store = await openSqliteStore({ ...around, random: seededRandom(1), fatal, durability: 'off' });
  await store.close();
});
