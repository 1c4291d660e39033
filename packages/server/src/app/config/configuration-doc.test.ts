import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configurationDoc } from './configuration-doc.ts';
import { keyRows, pendingKeys } from './keys/index.ts';

const committed = fileURLToPath(new URL('../../../../../docs/configuration.md', import.meta.url));

it('docs/configuration.md is what the table of keys prints', () => {
  expect(readFileSync(committed, 'utf8')).toBe(configurationDoc());
});

it('has one row for every key', () => {
  const rows = configurationDoc()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toHaveLength(keyRows.size);
});

it('names exactly the keys that no code reads yet', () => {
  const packages = fileURLToPath(new URL('../../../../', import.meta.url));
  const sources = globSync('{server,cli}/src/**/*.ts', { cwd: packages })
    .filter((file) => !/\.test\.ts$|\/testing\/|\/conformance\/|\/config\/(?!build-config)/.test(file))
    .map((file) => readFileSync(join(packages, file), 'utf8'));
  const unread = [...keyRows.keys()].filter((key) => !sources.some((text) => text.includes(`'${key}'`)));
  expect(Object.values(pendingKeys).flat().sort()).toEqual(unread.sort());
});
