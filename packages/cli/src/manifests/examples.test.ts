import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAuthorable, kinds } from '../kinds/index.ts';
import { realFiles } from '../real/real-files.ts';
import { fakeHost } from '../testing/fake-host.ts';
import { render } from './index.ts';

const examples = join(import.meta.dirname, '../../../../examples');
const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** A host with the real disk. */
const onDisk = () => {
  const fake = fakeHost();
  return { ...fake, host: { ...fake.host, cwd: examples, files: realFiles } };
};

const rendered = async (name: string): Promise<string> => {
  const { host, out } = onDisk();
  const variables = { variables: ['team=red'], trip: [`here=${join(examples, 'trip')}`] }[name];
  await render(host, { filename: [name], ...(variables === undefined ? {} : { var: variables }) });
  return out();
};

it.each(names.map(({ name }) => name))('example %s is well formed as it stands', async (name) => {
  expect(await rendered(name)).toContain('kind:');
});

it('the examples show each kind that people write', async () => {
  const all = (await Promise.all(names.map(({ name }) => rendered(name)))).join('\n');
  const shown = new Set(Array.from(all.matchAll(/^kind: (\w+)$/gm), ([, kind]) => kind));
  expect(kinds.filter(({ name }) => isAuthorable(name) && !shown.has(name)).map(({ name }) => name)).toEqual([]);
});

it('a missing directory of the real disk has no names', () => {
  expect(realFiles.list(join(examples, 'none'))).toEqual([]);
});
