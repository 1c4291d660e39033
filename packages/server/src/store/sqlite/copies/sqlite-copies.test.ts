import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { type DumpUnderTest, dumpConformance } from '../../conformance/index.ts';
import { DUMP_TABLES } from '../../contracts/index.ts';
import { makeTestStore } from '../testing/test-store.ts';
import { openSqliteDump, openSqliteLoad } from './index.ts';

/** Tables that follow from others, or that tell about the file itself. */
const DERIVED = ['resource_labels', 'resource_owners', 'session_labels', 'schema_migrations'].concat([
  'search_vectors',
  'search_sketches',
]);

const tempDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-copies-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

dumpConformance('SQLite', async (): Promise<DumpUnderTest> => {
  const made = await makeTestStore({ durability: 'off' });
  const target = await makeTestStore({ durability: 'off' });
  await target.store.close();
  const file = join(target.dataDir, 'svc.db');
  const copy = join(made.dataDir, 'copy.db');
  let source = made.dataDir;
  return {
    ...made,
    dump: () => openSqliteDump({ file: join(source, 'svc.db'), copy }),
    load: async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
      return openSqliteLoad({ file, nowMicros: 1, log: silentLog });
    },
    openLoaded: () => {
      source = target.dataDir;
      return target.open();
    },
    dispose: async () => {
      await made.dispose();
      await target.dispose();
    },
  };
});

it('the tables of a dump are all of the schema but what follows from them', () => {
  const file = join(tempDir(), 'new.db');
  const load = openSqliteLoad({ file, nowMicros: 1, log: silentLog });
  const database = new DatabaseSync(file);
  const rows = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_words%'
         AND name NOT LIKE 'search_paths%'`)
    .all();
  const present = rows.map((row) => String(row['name'])).filter((name) => !DERIVED.includes(name));
  expect(DUMP_TABLES.map(({ name }) => name).sort()).toEqual(present.sort());
  for (const { name, columns } of DUMP_TABLES) {
    const named = database.prepare('SELECT name FROM pragma_table_info(?)').all(name);
    // Vectors are made anew, so nothing is said to have them.
    const own = named.map((row) => String(row['name'])).filter((column) => column !== 'embedded');
    const numbered = name.startsWith('search_documents') ? own : own.filter((column) => column !== 'row');
    expect([name, ...Object.keys(columns).sort()]).toEqual([name, ...numbered.sort()]);
  }
  database.close();
  return load.abandon();
});

it('a database that cannot be copied is a fault of the storage, and nothing is left', async () => {
  const dir = tempDir();
  const [file, copy] = [join(dir, 'svc.db'), join(dir, 'copy.db')];
  writeFileSync(file, 'this is no database, only a text of some length');
  await expect(openSqliteDump({ file, copy })).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
  expect(existsSync(copy)).toBe(false);
});

it('the copy of a dump is for its owner only and goes when it is closed, which may be done twice', async () => {
  const made = await makeTestStore({ durability: 'off' });
  onTestFinished(made.dispose);
  const copy = join(made.dataDir, 'copy.db');
  writeFileSync(copy, 'what a process that was killed left');
  const dump = await openSqliteDump({ file: join(made.dataDir, 'svc.db'), copy });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await dump.close();
  await dump.close();
  expect(existsSync(copy)).toBe(false);
});
