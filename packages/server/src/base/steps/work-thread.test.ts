import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { WorkThread } from './work-thread.ts';

const MODULE = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (work) => {
      if (work === 'never') return;
      if (work === 'too long') throw new RangeError('Invalid string length');
      if (work === 'too much') for (const kept = []; ; ) kept.push(Array.from({ length: 1_000 }, () => ({})));
      if (work === 'broken') throw new Error('broken');
      if (work === 'late') setTimeout(() => { throw new Error('too late for an answer'); }, 20);
      parentPort.postMessage([threadId, work.byteLength ?? work]);
    });
  `)}`,
);
const WORDS = { subject: 'text', advice: 'send less' };

const given = (): { readonly clock: ManualClock; readonly thread: WorkThread<unknown, [number, unknown]> } => {
  const clock = new ManualClock();
  return { clock, thread: new WorkThread({ module: MODULE, clock, limitMs: 1_000, memoryMib: 32 }) };
};

describe('WorkThread', () => {
  it('does one piece of work after the other in one thread', async () => {
    const { thread } = given();
    const [first, second] = await Promise.all([thread.run('a', WORDS), thread.run('b', WORDS)]);
    expect([first[1], second[1]]).toEqual(['a', 'b']);
    expect(first[0]).toBe(second[0]);
  });

  it('moves memory that is handed over', async () => {
    const bytes = new Uint8Array(100);
    expect((await given().thread.run(bytes, WORDS, [bytes.buffer]))[1]).toBe(100);
    expect(bytes.byteLength).toBe(0);
  });

  it('refuses work that takes too long and does the next piece in a new thread', async () => {
    const { clock, thread } = given();
    const [id] = await thread.run('a', WORDS);
    const slow = thread.run('never', WORDS);
    const refused = expect(slow).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
      message: 'text: not read within 1 s; send less',
    });
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(1_000);
    await refused;
    expect((await thread.run('b', WORDS))[0]).not.toBe(id);
  });

  it.each(['too much', 'too long'])('refuses work for which there is no room: %s', async (work) => {
    await expect(given().thread.run(work, WORDS)).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      message: 'text: it needs too much memory to be read; send less',
    });
  });

  it('rejects with what else the thread throws, as it is', async () => {
    const { thread } = given();
    await expect(thread.run('broken', WORDS)).rejects.toThrow('broken');
    expect((await thread.run('a', WORDS))[1]).toBe('a');
  });

  it('rejects with what keeps work from being handed over, and refuses nothing later', async () => {
    const { clock, thread } = given();
    await expect(thread.run(() => undefined, WORDS)).rejects.toThrow('could not be cloned');
    clock.advance(1_000);
    expect((await thread.run('a', WORDS))[1]).toBe('a');
  });

  it('gets a new thread when the old one failed between two pieces of work', async () => {
    const { thread } = given();
    const [id] = await thread.run('a', WORDS);
    // What comes before the failure is known is refused with it.
    await thread.run('late', WORDS).catch(() => undefined);
    const next = async () => (await thread.run('a', WORDS).catch(() => [id]))[0];
    await expect.poll(next).not.toBe(id);
  });

  it('ends after five seconds without work and starts again', async () => {
    const { clock, thread } = given();
    const [id] = await thread.run('a', WORDS);
    clock.advance(5_000);
    expect((await thread.run('b', WORDS))[0]).not.toBe(id);
  });
});
