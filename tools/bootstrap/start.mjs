// `npm start [-- options]`: installs what is missing, then is `svc up [options]`.
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runBootstrap } from './install.mjs';
import { handOver } from './run.mjs';

await runBootstrap(async () => {
  const node = await ensureInstalled();
  handOver(node, [join(root, 'packages', 'cli', 'bin', 'svc.mjs'), 'up', ...process.argv.slice(2)]);
});
