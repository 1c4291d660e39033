/** The live heap of a BenchServer, for what it costs to hold something. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const POLL_MS = 20;
const probe = fileURLToPath(new URL('./heap-on-signal.mjs', import.meta.url));

/** Flags for a server whose heap is asked for. */
export const HEAP_FLAGS = ['--expose-gc', '--import', probe];

/** Answers what reads the bytes in use of a server after a collection, outside of the heap included. To be called before the server starts. */
export const liveHeap = (dataDir) => {
  const file = join(dataDir, 'heap-bytes');
  // The server inherits it.
  process.env.SVC_BENCH_HEAP = file;
  return async ({ pid }) => {
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return Number(readFileSync(file, 'utf8'));
  };
};
