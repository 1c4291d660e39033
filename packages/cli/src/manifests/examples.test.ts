import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realFiles } from '../real/real-files.ts';
import { fakeWorld } from '../testing/fake-world.ts';
import { render } from './index.ts';

const examples = join(import.meta.dirname, '../../../../examples');
const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** A world with the real disk. */
const onDisk = () => {
  const fake = fakeWorld();
  return { ...fake, world: { ...fake.world, cwd: examples, files: realFiles } };
};

describe.each(names.map(({ name }) => name))('example %s', (name) => {
  it('is well formed as it stands', async () => {
    const { world, out } = onDisk();
    const variables = name === 'variables' ? { var: ['team=red'] } : {};
    await render(world, { filename: [name], ...variables });
    expect(out()).toContain('kind:');
  });
});

it('a missing directory of the real disk has no names', () => {
  expect(realFiles.list(join(examples, 'none'))).toEqual([]);
});
