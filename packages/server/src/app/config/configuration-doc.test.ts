import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configurationDoc } from './configuration-doc.ts';
import { keyRows } from './keys/index.ts';

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
