/** What comes before anything of a server is loaded (docs/decisions/0003-start-and-memory.md). */
import process from 'node:process';

/**
 * What a server takes from Node.js, its listening included. Node brings the compiled code of its own modules, but V8 refuses it once
 * a flag differs from those it was made with: what is loaded before costs half.
 */
const builtins = [
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
const flags = ['--semi-space-growth-factor=1', '--no-maglev', '--no-turbofan'];

/** For `svc serve` and `svc up`. */
export const prepareServer = async () => {
  for (const name of builtins) await import(name);
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
};
