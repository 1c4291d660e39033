// Shows that a long step of the bootstrap is still running. Plain JavaScript for the Node.js the machine happens to have, as install.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

const ERASE_TO_END = '\u001b[K';

/**
 * Runs a command to its end and answers its exit code; null when a signal ended it. On a terminal one line says what is running and
 * for how long, the command's own output is above it, and the line is gone at the end. Elsewhere the label is one plain line
 * at the beginning. All of it goes to `output`, standard error by default. Throws when the command cannot be started.
 *
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {{
 *   label: string,
 *   options?: import('node:child_process').SpawnOptions,
 *   output?: { isTTY?: boolean, columns?: number, write(text: string): unknown },
 *   everySecond?: (draw: () => void) => () => void,
 *   nowMs?: () => number,
 * }} shown
 */
export async function runShown(command, parameters, shown) {
  const { label, options = {}, output = process.stderr, everySecond = tick, nowMs = Date.now } = shown;
  if (output.isTTY !== true) {
    output.write(`${label} ...\n`);
    return await ended(spawn(command, parameters, { ...options, stdio: ['ignore', 2, 2] }));
  }
  const started = nowMs();
  const draw = () => {
    const time = `  ${Math.floor((nowMs() - started) / 1_000)} s`;
    // Some terminals do not know their width and say 0.
    const room = (output.columns || 80) - 1 - time.length;
    output.write(`\r${label.slice(0, Math.max(0, room))}${time}${ERASE_TO_END}`);
  };
  draw();
  const stop = everySecond(draw);
  try {
    const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const print = (line) => {
      output.write(`\r${ERASE_TO_END}${line}\n`);
      draw();
    };
    const printed = [child.stdout, child.stderr].map((stream) =>
      once(createInterface({ input: stream }).on('line', print), 'close'),
    );
    const [code] = await Promise.all([ended(child), ...printed]);
    return code;
  } finally {
    stop();
    output.write(`\r${ERASE_TO_END}`);
  }
}

/** The exit code; rejects with what kept the command from starting. */
async function ended(child) {
  const [code] = await once(child, 'close');
  return code;
}

function tick(draw) {
  const timer = setInterval(draw, 1_000);
  return () => clearInterval(timer);
}
