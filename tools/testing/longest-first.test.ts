import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadSources } from '../checks/source-files.ts';
import { longest } from './longest-first.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('names test files that exist, each once', () => {
  const tests = new Set(loadSources(root).map(({ path }) => basename(path, '.test.ts')));
  expect(longest.filter((name) => !tests.has(name))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});
