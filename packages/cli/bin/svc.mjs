#!/usr/bin/env node
/**
 * The `svc` command. The files of this folder alone are JavaScript: with the compile cache on before the first TypeScript file is
 * read, Node takes stripped code from its cache and never loads the type stripper (17 MB, 60 ms) from the second start on.
 */
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { resolveImport } from './import-addresses.mjs';

module.enableCompileCache();
module.registerHooks({ resolve: resolveImport });
// Loading makes mostly garbage: a young generation that does not grow meanwhile saves 20 MB that would never be given back.
setFlagsFromString('--semi-space-growth-factor=1');
// What runs once needs no optimised code, and compiling it leaves 10 MB behind. The server turns it on again when its port is open.
if (process.argv[2] === 'serve' || process.argv[2] === 'up') {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--no-turbofan');
}

await import('../src/main.ts');
