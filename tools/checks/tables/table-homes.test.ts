import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources, type SourceFile } from '../source-files.ts';
import { describedTables, findStrayStatements, findUncreated, findUnpaired } from './table-homes.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = loadSources(root);
const server = (path: string): string => `packages/server/src/${path}`;
const description = sources.filter(({ path }) => path === server('store/contracts/tables/described-tables.ts'));
const migrationsOf = (engine: string): string =>
  globSync(`packages/server/src/store/migrations/${engine}/*.sql`, { cwd: root })
    .filter((path) => !path.endsWith('.down.sql'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');

describe('described tables', () => {
  it('are found', () => {
    expect(describedTables(sources)).toEqual(expect.arrayContaining(['artifacts', 'idempotency', 'leases', 'queue']));
  });

  it('have no statement outside of their description', () => {
    expect(findStrayStatements(sources)).toEqual([]);
  });

  it('are created once by the migrations of each engine', () => {
    const migrations = { sqlite: migrationsOf('sqlite'), postgres: migrationsOf('postgres') };
    expect(findUncreated(sources, migrations)).toEqual([]);
    expect(findUncreated(sources, { ...migrations, postgres: 'CREATE TABLE queue (' })).toHaveLength(
      describedTables(sources).length - 1,
    );
  });

  it.each([
    ['store/sqlite/tables/other.ts', "'DELETE FROM leases WHERE name = ?'"],
    ['features/platform/backups/copy.ts', "'INSERT INTO queue (kind) VALUES (?)'"],
    ['store/postgres/copies/load.ts', "'SELECT 1 FROM sessions s JOIN artifacts a ON true'"],
  ])('are not named by a statement of %s', (path, line) => {
    const stray: SourceFile = { path: server(path), text: `const text = ${line};\n` };
    expect(findStrayStatements([...description, stray])).toHaveLength(1);
    expect(findStrayStatements([...description, { ...stray, path: server('store/conformance/cases.ts') }])).toEqual([]);
  });
});

describe('the tables of the engines', () => {
  it('are in files of the same names', () => {
    expect(findUnpaired(sources)).toEqual([]);
  });

  it('are compared by the names of their handles', () => {
    const file = (path: string): SourceFile => ({ path: server(path), text: '' });
    const left = file('store/sqlite/tables/log/log-handle.ts');
    expect(findUnpaired([left])).toHaveLength(1);
    expect(findUnpaired([left, file('store/postgres/tables/log/log-handle.ts')])).toEqual([]);
    expect(findUnpaired([file('store/sqlite/tables/log/turn-table.ts')])).toEqual([]);
  });
});
