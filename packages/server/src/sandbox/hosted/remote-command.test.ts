import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';
import type { HostedSandbox, TakeText } from './contract.ts';
import { type RemoteCommand, runRemote, startRemote } from './remote-command.ts';
import { LAUNCH } from './remote-script-rules.ts';

/** A sandbox whose launcher does what the test says. */
class ScriptedSandbox implements HostedSandbox {
  readonly over = Promise.withResolvers<void>();
  readonly sent: string[] = [];
  enders = 0;
  kills = 0;
  extensions = 0;
  limits = 0;
  extension: Error | undefined;
  take: TakeText = () => undefined;

  async run(line: string, take: TakeText) {
    if (line !== LAUNCH) {
      this.enders++;
      return { over: Promise.resolve(), send: async () => undefined, kill: async () => undefined };
    }
    this.take = take;
    const send = async (text: string): Promise<void> => void this.sent.push(text);
    const kill = async (): Promise<void> => void this.kills++;
    return { over: this.over.promise, send, kill };
  }

  async limitTo(): Promise<void> {
    this.limits++;
  }

  async extend(): Promise<void> {
    this.extensions++;
    if (this.extension !== undefined) throw this.extension;
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
};

describe('a command at a hosted service', () => {
  const begin = (change: Partial<RemoteCommand> = {}) => {
    const sandbox = new ScriptedSandbox();
    const clock = new ManualClock();
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message) };
    const command = testCommand(['x'], { timeoutMs: 3_600_000 });
    const run = {
      sandbox,
      clock,
      log,
      command,
      plan: testPlan('one'),
      mark: 'm.',
      signal: new AbortController().signal,
    };
    return { sandbox, clock, warnings, run: { ...run, ...change } };
  };

  it('has an output of its own among what other programs print', async () => {
    const { sandbox, run } = begin();
    const result = runRemote(run);
    await settled();
    await sandbox.take('stdout', 'Welcome!\no aGVs');
    await sandbox.take('stdout', 'bG8=\nx 7\n');
    await sandbox.take('stderr', 'x 9\ne b2g=\n');
    sandbox.over.resolve();
    expect(await result.then((found) => [found.exitCode, shown(found)])).toEqual([7, { out: 'hello', err: 'oh' }]);
    expect(sandbox.sent.at(-1)).toBe('.\n');
  });

  it('ends when more arrives than its launcher lets through', async () => {
    const { sandbox, run } = begin();
    const result = runRemote(run);
    await settled();
    for (let at = 0; at < 5; at++) await sandbox.take('stdout', 'y'.repeat(100_000));
    await settled();
    expect(sandbox.enders).toBe(1);
    sandbox.over.resolve();
    expect(await result).toMatchObject({ endedBy: 'stopped', exitCode: 137 });
  });

  it('is a failure of the service when it breaks off, and when it does not end in time', async () => {
    const broken = begin();
    const result = runRemote(broken.run);
    await settled();
    broken.sandbox.over.resolve();
    await expect(result).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'SANDBOX_PROVIDER' });
    const stop = new AbortController();
    const { sandbox, clock, run } = begin({ signal: stop.signal });
    const process = await startRemote(run);
    stop.abort();
    await settled();
    clock.advance(30_000);
    await expect(process.ended).rejects.toMatchObject({ message: 'the command did not end within 30 s' });
    expect(sandbox.kills).toBe(1);
    // What is written to a command that is over is dropped.
    await process.write(new Uint8Array([1]));
  });

  it('keeps its sandbox awake while it runs', async () => {
    const { sandbox, clock, warnings, run } = begin();
    const result = runRemote(run);
    await settled();
    clock.advance(300_000);
    sandbox.extension = new Error('busy');
    clock.advance(300_000);
    await settled();
    expect([sandbox.extensions, warnings]).toEqual([2, ['the life of a hosted sandbox could not be extended']]);
    await sandbox.take('stdout', 'x 0\n');
    sandbox.over.resolve();
    await result;
    clock.advance(600_000);
    expect(sandbox.extensions).toBe(2);
  });

  it('holds up a command whose output is not taken, and lets go of it once that is stopped', async () => {
    const stop = new AbortController();
    const { sandbox, run } = begin({ signal: stop.signal });
    const process = await startRemote(run);
    const line = `o ${Buffer.alloc(20_000).toString('base64')}\n`;
    let taken = 0;
    const feed = async (): Promise<void> => {
      for (; taken < 10; taken++) await sandbox.take('stdout', line);
    };
    const feeding = feed();
    await settled();
    expect(taken).toBeLessThan(10);
    stop.abort();
    await feeding;
    sandbox.over.resolve();
    expect(await process.ended).toMatchObject({ endedBy: 'stopped' });
  });
});
