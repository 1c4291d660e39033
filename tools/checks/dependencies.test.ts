import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifests = globSync(['package.json', 'packages/*/package.json'], { cwd: root });
const record = readFileSync(join(root, 'docs', 'decisions', '0001-dependencies.md'), 'utf8');

/** Name and version of everything a package.json asks for, the workspace's own packages apart. */
function dependenciesOf(manifest: string): readonly (readonly [string, string])[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
  return Object.entries<string>({ ...dependencies, ...devDependencies }).filter(([name]) => !name.startsWith('@svc/'));
}

describe.each(manifests)('%s', (manifest) => {
  it('pins every version exactly', () => {
    const exact = /^(npm:@?[a-z0-9/-]+@)?\d+\.\d+\.\d+(-[0-9a-z.]+)?$/;
    expect(dependenciesOf(manifest).filter(([, version]) => !exact.test(version))).toEqual([]);
  });

  it('asks only for dependencies whose reason is recorded in docs/decisions/0001-dependencies.md', () => {
    const unexplained = dependenciesOf(manifest).filter(([name]) => !record.includes(`| \`${name}\` |`));
    expect(unexplained.map(([name]) => name)).toEqual([]);
  });
});
