/** Runs the command line of this process; called by `bin/svc.mjs`. */
import process from 'node:process';

const { runCommandLine } = await import('./program/index.ts');
const { realHost } = await import('./real/index.ts');
const exitCode = await runCommandLine(process.argv.slice(2), realHost());
// Waits for output to a pipe; then the command ends, whatever calls or timers it left behind.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(exitCode);
