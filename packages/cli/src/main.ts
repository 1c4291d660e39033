#!/usr/bin/env node
/** The `svc` command: turns on the compile cache, then loads only what the command line asks for. */
import module from 'node:module';
import process from 'node:process';

module.enableCompileCache();

const { runCommandLine } = await import('./program/index.ts');
const { realWorld } = await import('./real-world.ts');
const exitCode = await runCommandLine(process.argv.slice(2), realWorld());
// Output to a pipe may still be on its way; leaving by exitCode lets it drain.
process.exitCode = exitCode;
