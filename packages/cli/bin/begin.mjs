/**
 * The `svc` command on a Node.js that is new enough. The files of this folder alone are JavaScript: with the compile cache on before
 * the first TypeScript file is read, Node takes stripped code from its cache and never loads the type stripper (17 MB, 60 ms) from
 * the second start on.
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
