import process from 'node:process';
import type { ServerModule } from '../world.ts';

/**
 * What a server takes from Node.js, its listening included. Node brings the compiled code of its own modules, but V8 refuses it once
 * a flag differs from those it was made with: what is loaded before costs half (decision 0003).
 */
const BUILTINS = [
  'node:buffer',
  'node:child_process',
  'node:cluster',
  'node:crypto',
  'node:dns',
  'node:fs/promises',
  'node:http2',
  'node:net',
  'node:os',
  'node:perf_hooks',
  'node:sqlite',
  'node:stream/promises',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
];

/**
 * In force until the port is open, when the server sets them anew. Loading makes mostly garbage: a young generation that does not
 * grow meanwhile saves 20 MB that would never be given back. What runs once needs no optimised code, and compiling it leaves 10 MB.
 */
const LOADING_FLAGS = ['--semi-space-growth-factor=1', '--no-maglev', '--no-turbofan'];

/** The server package; `isStarting` where it will serve from this process. */
export const loadServer = async (isStarting: boolean): Promise<ServerModule> => {
  if (isStarting) {
    for (const name of BUILTINS) await import(name);
    const { setFlagsFromString } = process.getBuiltinModule('node:v8');
    for (const flag of LOADING_FLAGS) setFlagsFromString(flag);
  }
  return import('@svc/server');
};
