import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const runModule = fileURLToPath(new URL('./run.mjs', import.meta.url));

/**
 * Starts a process that hands over to Node.js running `script`; `older` makes it lack what replaces a process. `terminal` is the
 * one of its streams that passes for a terminal.
 */
function handOverTo(script: string, older: boolean, terminal?: 'stdin' | 'stdout' | 'stderr'): ChildProcess {
  const lines = [
    terminal === undefined ? '' : `process.${terminal}.isTTY = true;`,
    older ? 'process.execve = undefined;' : '',
    `import { handOver } from ${JSON.stringify(runModule)};`,
    `handOver(process.execPath, ['-e', ${JSON.stringify(script)}, 'first', 'second']);`,
  ];
  return spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  const chunks: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  await once(child, 'close');
  return chunks.join('');
}

describe.each([
  ['by replacing the process', false],
  ['through a child process', true],
])('handing over %s', (_, older) => {
  it('passes parameters on and keeps the exit code', async () => {
    const child = handOverTo('console.log(process.argv.slice(1).join()); process.exitCode = 7;', older);
    expect(await outputOf(child)).toBe('first,second\n');
    expect(child.exitCode).toBe(7);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('lets the program end as it wants on %s', async (signal) => {
    const script = `process.on('${signal}', () => process.exit(9)); setInterval(() => undefined, 1000); console.log('up');`;
    const child = handOverTo(script, older);
    child.stdout?.once('data', () => child.kill(signal));
    await once(child, 'exit');
    expect(child.exitCode).toBe(9);
  });

  it('puts its Node.js first on the search path', async () => {
    const child = handOverTo("console.log(process.env.PATH.split(require('path').delimiter)[0]);", older);
    expect((await outputOf(child)).trim()).toBe(
      fileURLToPath(new URL('.', `file://${process.execPath}`)).replace(/\/$/, ''),
    );
  });
});

it.each(['stdin', 'stdout', 'stderr'] as const)(
  'leaves Ctrl-C to the terminal when %s is one, and forwards other signals',
  async (terminal) => {
    const ends = "process.on('SIGINT', () => process.exit(9)).on('SIGTERM', () => process.exit(8));";
    const child = handOverTo(`${ends} setInterval(() => undefined, 1000); console.log('up');`, true, terminal);
    child.stdout?.once('data', () => {
      child.kill('SIGINT');
      child.kill('SIGTERM');
    });
    await once(child, 'exit');
    expect(child.exitCode).toBe(8);
  },
);
