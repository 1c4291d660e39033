import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const proto = join(import.meta.dirname, '../../../proto');

it('comments of proto/svc cite no document and no chapter outside the checkout', () => {
  const files = globSync('svc/**/*.proto', { cwd: proto });
  expect(files.length).toBeGreaterThan(50);
  const citing = files.flatMap((file) =>
    readFileSync(join(proto, file), 'utf8')
      .split('\n')
      .filter((line) => /\w\.md\b|\(contract\b|\b(?:API|WIRE|RT|CO|PL)-[0-9]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(citing).toEqual([]);
});
