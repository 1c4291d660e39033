import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { resolveRelative, scanImports } from '../checks/imports.ts';
import { isTestCode, loadSources } from '../checks/source-files.ts';
import { crashesOnPostgres, endToEndOnPostgres, storeTests } from './store-tests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const server = 'packages/server/src/';
const sqlite = `${server}store/sqlite/`;

it('opens stores of tests on the engine of the run, but where a test is about both engines', () => {
  const openers = loadSources(root)
    .filter(({ path }) => new RegExp(`^${server}(auth|controllers|features|runtime)/`).test(path) && isTestCode(path))
    .filter(({ path, text }) =>
      scanImports(text).some(({ specifier }) => resolveRelative(path, specifier)?.startsWith(sqlite)),
    );
  expect(openers.map(({ path }) => path)).toEqual([`${server}features/authoring/files/objects/shared-objects.test.ts`]);
});

it('repeats on PostgreSQL every test of a part of the server that opens a store', () => {
  const found = storeTests(root);
  expect(found).toEqual(
    expect.arrayContaining([
      `${server}controllers/abandoned-work.test.ts`,
      `${server}features/conversation/agents/agent-operations.test.ts`,
      `${server}features/authoring/deployments/deployment-crashes.test.ts`,
      `${server}runtime/crash-sweep.test.ts`,
      `${server}runtime/simulation.test.ts`,
      `${server}runtime/store-failures.test.ts`,
    ]),
  );
  expect(found.filter((path) => path.startsWith(`${server}app/`))).toEqual([]);
});

it('leaves only those tests with a real process to SQLite that docs/postgresql.md names', () => {
  const all = globSync('e2e/**/*.test.ts', { cwd: root }).filter((path) => !/^e2e\/(?:attack|browser)\//.test(path));
  const repeated = globSync([...endToEndOnPostgres, ...crashesOnPostgres], { cwd: root });
  expect(repeated.length).toBeGreaterThan(15);
  const text = readFileSync(`${root}docs/postgresql.md`, 'utf8');
  const left = all.filter((path) => !repeated.includes(path));
  expect(left.filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
});
