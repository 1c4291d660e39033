import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { SandboxProcess, SandboxResult } from '../../../sandbox/contract.ts';
import { HarnessTerminals } from './harness-terminals.ts';

const REQUEST = { command: 'sleep', args: ['9'], cwd: '', env: {}, outputBytes: undefined };
const BYTES = new Uint8Array();
const KILLED: SandboxResult = { exitCode: 137, stdout: BYTES, stderr: BYTES, isCut: false, endedBy: 'stopped' };

/** Terminals whose commands begin and end when the test says so, and the signals that they were started with. */
const terminals = () => {
  const [begins, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<SandboxResult>()];
  const signals: AbortSignal[] = [];
  const made = new HarnessTerminals(async (_command, signal): Promise<SandboxProcess> => {
    signals.push(signal);
    await begins.promise;
    return {
      stdout: Readable.from([]),
      write: async () => undefined,
      closeInput: () => undefined,
      ended: ends.promise,
    };
  });
  return { made, signals, begin: begins.resolve, end: () => ends.resolve(KILLED) };
};

/** Whether the promise is settled once all that was to happen did. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  await setImmediate();
  return isOver;
};

it('terminals that are started together count against the limit before they run', async () => {
  const { made, begin } = terminals();
  const asked = Array.from({ length: 17 }, () => made.create(REQUEST));
  begin();
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(16).fill('fulfilled'), 'rejected']);
});

it('terminals are closed after the end of commands that were released or still starting', async () => {
  const { made, signals, begin, end } = terminals();
  const first = made.create(REQUEST);
  begin();
  made.release(await first);
  expect(signals[0]?.aborted).toBe(true);
  const second = made.create(REQUEST);
  const closed = made.close();
  expect(signals[1]?.aborted).toBe(true);
  await second;
  expect(await isSettled(closed)).toBe(false);
  end();
  await closed;
});

it('a terminal that could not be started is not open', async () => {
  const made = new HarnessTerminals(async () => Promise.reject(new Error('no sandbox')));
  await expect(made.create(REQUEST)).rejects.toThrow('no sandbox');
  expect(() => made.kill('terminal-1')).toThrow('there is no terminal terminal-1');
  await made.close();
});
