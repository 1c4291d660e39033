import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoopShare } from './loop-share.ts';
import type { Steps } from './steps.ts';

function* counting(name: string, count: number, seen: string[]): Steps<string> {
  for (let step = 1; step <= count; step++) {
    seen.push(`${name}${step}`);
    yield;
  }
  return name;
}

describe('LoopShare', () => {
  it('runs the work of several callers in rotation, one step in each turn of the loop', async () => {
    const share = new LoopShare();
    const seen: string[] = [];
    const both = Promise.all([share.run(counting('a', 3, seen)), share.run(counting('b', 2, seen))]);
    expect(seen).toEqual([]);
    await nextTurn();
    expect(seen).toEqual(['a1']);
    expect(await both).toEqual(['a', 'b']);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('rejects with what a step throws and continues with the others, and with those that come later', async () => {
    const share = new LoopShare();
    const seen: string[] = [];
    function* broken(): Steps<never> {
      yield;
      throw new Error('broken');
    }
    const ended = await Promise.allSettled([share.run(broken()), share.run(counting('a', 2, seen))]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await share.run(counting('b', 1, seen))).toBe('b');
  });
});
