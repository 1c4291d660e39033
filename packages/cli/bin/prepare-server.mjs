/** Runs before any code of a server is loaded (docs/decisions/0003-start-and-memory.md). */
import process from 'node:process';

/**
 * The modules of Node.js that a server uses, including those for listening. Node ships compiled code for its own modules, but V8 rejects
 * it once a flag differs from those it was compiled with: loading them before the flags are set costs half.
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
 * In effect until the port is open, when the server sets them again. Loading creates mostly garbage: a young generation that does not
 * grow meanwhile saves 20 MB that would never be returned. Code that runs once needs no optimising, and compiling it leaves 10 MB behind.
 */
const flags = ['--semi-space-growth-factor=1', '--no-maglev', '--no-turbofan'];

/** For `svc serve` and `svc up`. */
export const prepareServer = async () => {
  for (const name of builtins) await import(name);
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
};
