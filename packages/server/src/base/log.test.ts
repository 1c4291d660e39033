import { describe, expect, it } from 'vitest';
import { LineBroadcast, type LogEntry } from './log.ts';

const line = (message: string): LogEntry => ({ atMs: 1, level: 'info', message, fields: {} });

describe('LineBroadcast', () => {
  it('gives the first who listens the lines of before, at most 1,000, and then everyone each line', () => {
    const lines = new LineBroadcast();
    for (let number = 1; number <= 1_001; number += 1) lines.send(line(`early ${number}`));
    const first: string[] = [];
    const second: string[] = [];
    lines.subscribe(({ message }) => first.push(message));
    const stop = lines.subscribe(({ message }) => second.push(message));
    lines.send(line('a'));
    stop();
    lines.send(line('b'));
    expect([first.length, first[0], first[999], first.slice(1_000)]).toEqual([
      1_002,
      'early 1',
      'early 1000',
      ['a', 'b'],
    ]);
    expect(second).toEqual(['a']);
  });
});
