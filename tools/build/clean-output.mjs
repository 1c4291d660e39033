import { existsSync, globSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What a build leaves in its folder, for any version: its packages, their archives, and what an interrupted one was at. */
const made = [
  'packages/{api,client,widget,connectors,server,cli}',
  'svc-[0-9]*.tgz',
  'svc-{api,client,widget,connectors,server}-[0-9]*.tgz',
  '.emitted-*',
];

/**
 * Makes the folder of a build, without what an earlier build left there; anything else in it stays. Throws for the checkout
 * `root`, whose packages are the sources.
 */
export function cleanOutput(out, root) {
  mkdirSync(out, { recursive: true });
  const sources = join(root, 'packages');
  const packages = join(out, 'packages');
  if (existsSync(packages) && existsSync(sources) && realpathSync(packages) === realpathSync(sources))
    throw new Error(`${packages} holds the sources: choose another folder with --out`);
  for (const path of globSync(made, { cwd: out })) rmSync(join(out, path), { recursive: true });
}
