import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ManualClock, makeDirectory, seededRandom, silentLog } from '../../../base/index.ts';
import { openSqliteStore } from '../index.ts';

const FILE = 'svc.db';
/** Leaves the schema, and in which form words are cut. */
const EMPTY = `DELETE FROM instance WHERE name <> 'search.words'`;

let template: Promise<Buffer> | undefined;

/**
 * Puts the file of a store with the newest schema and nothing in it into a data directory that has no store. To apply the steps of
 * the schema takes longer than most tests, so they are applied once in each process of tests.
 */
export const placeEmptyDatabase = async (dataDir: string): Promise<void> => {
  if (existsSync(join(dataDir, FILE))) return;
  template ??= makeTemplate();
  const bytes = await template;
  makeDirectory(dataDir);
  writeFileSync(join(dataDir, FILE), bytes, { mode: 0o600 });
};

const makeTemplate = async (): Promise<Buffer> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-empty-'));
  try {
    const store = await openSqliteStore({
      ...{ dataDir, clock: new ManualClock(), random: seededRandom(1), log: silentLog, durability: 'off' },
      fatal: (error) => {
        throw error;
      },
    });
    await store.close();
    const database = new DatabaseSync(join(dataDir, FILE));
    database.exec(EMPTY);
    database.close();
    return readFileSync(join(dataDir, FILE));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};
