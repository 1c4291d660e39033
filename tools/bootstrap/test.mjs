// `npm test [-- check ...]`: installs what is missing, then runs all checks (or the named ones).
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runBootstrap } from './install.mjs';
import { handOver } from './run.mjs';
import { installServices } from './services.mjs';

const names = process.argv.slice(2);

await runBootstrap(async () => {
  // npm and apt wait for the network and the disk: side by side they take as long as one of them. Named checks may need no service.
  const services = names.length === 0 ? installServices(root) : undefined;
  const [node] = await Promise.all([ensureInstalled({ withDevelopment: true }), services]);
  handOver(node, [join(root, 'tools', 'checks', 'run.mjs'), ...names]);
});
