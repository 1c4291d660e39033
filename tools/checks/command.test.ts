import { tmpdir } from 'node:os';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';

const options = { directory: tmpdir(), limitMs: 60_000 };

/** Runs JavaScript text in a Node.js of its own. */
const script = (text: string, limitMs = options.limitMs) =>
  runCommand(process.execPath, ['-e', text], { ...options, limitMs });

describe('runCommand', () => {
  it('collects both streams and the exit code', async () => {
    const outcome = await script("console.log('out'); console.error('err'); process.exitCode = 3;");
    expect(outcome.exitCode).toBe(3);
    expect(outcome.killed).toBeUndefined();
    expect(outcome.output.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  it('gives no input', async () => {
    expect(await script("process.stdin.on('end', () => console.log('ended')).resume();")).toMatchObject({
      exitCode: 0,
      output: 'ended\n',
    });
  });

  it('kills what does not end within its limit', async () => {
    const outcome = await script('setInterval(() => undefined, 1000);', 300);
    expect(outcome).toMatchObject({ exitCode: 1, killed: 'stopped at its time limit' });
  });

  it('kills what its watch gives a reason for, and also when the watch fails', async () => {
    const watched = (look: () => string | undefined) =>
      runCommand(process.execPath, ['-e', 'setInterval(() => undefined, 1000);'], {
        ...options,
        watch: { everyMs: 1, look },
      });
    const answers = [undefined, 'it stands still'];
    expect(await watched(() => answers.shift())).toMatchObject({ exitCode: 1, killed: 'it stands still' });
    const fail = (): string => {
      throw new Error('no such file');
    };
    expect(await watched(fail)).toMatchObject({ exitCode: 1, killed: 'stopped: Error: no such file' });
  });

  it('ends what the program left behind, which else would keep the output open', async () => {
    const lasting = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 1, 1000)'], { stdio: 'inherit' }).unref();`;
    expect(await script(`${lasting} console.log('started');`)).toMatchObject({ exitCode: 0, output: 'started\n' });
  });

  it('reports a program that does not exist', async () => {
    const outcome = await runCommand('svc-no-such-program', [], options);
    expect(outcome).toMatchObject({ exitCode: 127, output: expect.stringContaining('ENOENT') });
  });
});
