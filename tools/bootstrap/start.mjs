// `npm start [-- options]`: installs what is missing to run, without what only checks need, then is `svc up [options]`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runBootstrap } from './install.mjs';
import { handOver } from './run.mjs';

await runBootstrap(async () => {
  const node = await ensureInstalled();
  handOver(node, [programFor(node), 'up', ...process.argv.slice(2)]);
});

/** The program in few files, which starts faster and takes less memory; from its sources where the bundler does not run. */
function programFor(node) {
  const bundle = join(root, 'tools', 'build', 'bundle.mjs');
  const { status, stdout } = spawnSync(node, [bundle], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status === 0) return stdout.trim();
  process.stderr.write('svc: the program could not be bundled (see above); running its sources, which start slower\n');
  return join(root, 'packages', 'cli', 'bin', 'svc.mjs');
}
