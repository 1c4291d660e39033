/** Runs the command line of this process; `bin/svc.mjs` is the way in. */
import process from 'node:process';

const { runCommandLine } = await import('./program/index.ts');
const { realWorld } = await import('./real/index.ts');
const exitCode = await runCommandLine(process.argv.slice(2), realWorld());
// Output to a pipe may still be on its way; then the command is over, whatever call or timer it left behind.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(exitCode);
