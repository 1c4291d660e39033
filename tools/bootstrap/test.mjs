// `npm test [-- check ...]`: installs what is missing, then runs all checks (or the named ones).
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runBootstrap } from './install.mjs';
import { handOver } from './run.mjs';
import { installServices } from './services.mjs';

const names = process.argv.slice(2);

await runBootstrap(async () => {
  // npm and apt mostly wait for the network and the disk, so they run at the same time. Checks that are named may need no service.
  const services = names.length === 0 ? installServices(root) : undefined;
  const [node] = await Promise.all([ensureInstalled({ withDevelopment: true }), services]);
  handOver(node, [join(root, 'tools', 'checks', 'run.mjs'), ...names]);
});
