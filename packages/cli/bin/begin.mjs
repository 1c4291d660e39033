/**
 * The `svc` command, once Node.js is known to be new enough. Only the files of this folder are JavaScript: they turn the compile cache on
 * before the first TypeScript file is read, so that from the second start on Node takes stripped code from its cache and never loads
 * the type stripper (17 MB, 60 ms).
 */
import module from 'node:module';
import process from 'node:process';
import { resolveImport } from './import-addresses.mjs';

module.enableCompileCache();
module.registerHooks({ resolve: resolveImport });
if (process.argv[2] === 'serve' || process.argv[2] === 'up') {
  const { prepareServer } = await import('./prepare-server.mjs');
  await prepareServer();
}

await import('svc/main');
