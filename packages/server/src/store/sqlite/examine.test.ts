import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import type { Store } from '../contracts/index.ts';
import { examineSqlite, openSqliteStore } from './index.ts';

let dataDir: string;
let store: Store;
const never = new AbortController().signal;

const open = (): Promise<Store> =>
  openSqliteStore({
    ...{ dataDir, clock: new ManualClock(), random: seededRandom(3), log: silentLog, durability: 'off' },
    fatal: (error) => {
      throw error;
    },
  });

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-examine-'));
  store = await open();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it('a store that is open and written is sound and of the newest schema', async () => {
  await store.write((tx) => tx.instance.setValue('a', 'b'));
  const found = await examineSqlite(join(dataDir, 'svc.db'), never);
  expect(found.problems).toEqual([]);
  expect(found.schema).toBe(found.known);
  expect(found.known).toBeGreaterThan(0);
  await store.close();
});

it('damage is named', async () => {
  await store.write(async (tx) => {
    for (let index = 0; index < 500; index++) await tx.instance.setValue(`name-${index}`, 'x'.repeat(500));
  });
  await store.close();
  const file = join(dataDir, 'svc.db');
  const fd = openSync(file, 'r+');
  for (let page = 20; page < 60; page++) writeSync(fd, Buffer.alloc(2_000, 0xee), 0, 2_000, page * 4_096);
  closeSync(fd);
  expect((await examineSqlite(file, never)).problems).not.toEqual([]);
});

it('an examination that takes too long is ended', async () => {
  const ending = new AbortController();
  const found = examineSqlite(join(dataDir, 'svc.db'), ending.signal);
  ending.abort();
  await expect(found).rejects.toThrow('ended before');
  await store.close();
});
