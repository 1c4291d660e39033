import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Home } from './command-line/index.ts';
import { ServerProcess } from './server-process/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The example of each kind's page. */
const examples = globSync('docs/reference/kinds/*.md', { cwd: root }).flatMap((path) => {
  const [, example] = /## Example[\s\S]*```yaml\n([\s\S]*)```/.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return example === undefined ? [] : [{ kind: basename(path, '.md'), example }];
});
/** Kinds that only the server makes. */
const without = ['deployment-replica', 'session', 'worker'];

it('the example of every kind in docs/reference is applied by svc apply, next to what it refers to', async () => {
  const pages = globSync('docs/reference/kinds/*.md', { cwd: root }).map((path) => basename(path, '.md'));
  expect(examples.map(({ kind }) => kind).sort()).toEqual(pages.filter((kind) => !without.includes(kind)).sort());
  await using home = new Home();
  await using server = await ServerProcess.start();
  for (const { kind, example } of examples) writeFileSync(join(home.path, `${kind}.yaml`), example);
  // What examples read from files next to them.
  for (const path of globSync('examples/*/*.md', { cwd: root })) {
    copyFileSync(join(root, path), join(home.path, basename(path)));
  }
  const apply = async (files: readonly string[]): Promise<string> => {
    const words = ['apply', ...files.flatMap((file) => ['-f', file])];
    const command = home.run(words, { SVC_SERVER: server.url });
    const code = await command.ended();
    const shown = command.stdout + command.stderr;
    expect([code, shown]).toEqual([0, shown]);
    return shown;
  };
  await apply(['first-agent', 'team', 'rollout', 'every-kind'].map((name) => join(root, 'examples', name)));
  const shown = await apply(examples.map(({ kind }) => `${kind}.yaml`));
  expect(shown.match(/^unchanged/gm)).toHaveLength(examples.length);
});
