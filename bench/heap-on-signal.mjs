/** Loaded into a server under measurement: collects garbage at SIGUSR2 and writes the bytes in use to the file that SVC_BENCH_HEAP names. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env.SVC_BENCH_HEAP ?? '', `${heapUsed + external}\n`);
});
