#!/usr/bin/env node
/**
 * The `svc` command. The files of this folder alone are JavaScript: with the compile cache on before the first TypeScript file is
 * read, Node takes stripped code from its cache and never loads the type stripper (17 MB, 60 ms) from the second start on.
 */
import module from 'node:module';
import { resolveImport } from './import-addresses.mjs';

module.enableCompileCache();
module.registerHooks({ resolve: resolveImport });
if (process.argv[2] === 'serve' || process.argv[2] === 'up') {
  const { prepareServer } = await import('./prepare-server.mjs');
  await prepareServer();
}

await import('../src/main.ts');
