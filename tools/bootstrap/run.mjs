// Hands this process over to the pinned Node.js.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import process from 'node:process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Becomes `node parameters...` where the running Node.js can (no extra process, signals and exit code need no help);
 * an older one starts a child, forwards signals to it and exits as it did. Programs started from there find the same
 * Node.js first on their search path.
 */
export function handOver(node, parameters) {
  const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  if (process.platform !== 'win32' && typeof process.execve === 'function') {
    process.execve(node, [node, ...parameters], environment);
  }
  const child = spawn(node, parameters, { stdio: 'inherit', env: environment });
  for (const signal of forwarded) process.on(signal, () => forward(child, signal));
  child.on('error', (error) => {
    process.stderr.write(`svc: cannot run ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Ctrl-C in a terminal reaches the child by itself: a second one would ask it to stop without finishing its work. */
function forward(child, signal) {
  if (signal === 'SIGINT' && isAtTerminal()) return;
  child.kill(signal);
}

/** Any of its streams may be the only one that was not redirected. */
function isAtTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}
