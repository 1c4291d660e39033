// `npm test [-- check ...]`: installs what is missing, then runs all checks (or the named ones).
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runBootstrap } from './install.mjs';
import { handOver } from './run.mjs';

await runBootstrap(async () => {
  const node = await ensureInstalled({ withDevelopment: true });
  handOver(node, [join(root, 'tools', 'checks', 'run.mjs'), ...process.argv.slice(2)]);
});
