import { expect, it } from 'vitest';
import { MessageFrames } from './message-frames.ts';
import { queries } from './startup-message.ts';

it('finds every message, wherever its bytes are cut', () => {
  const sync = Buffer.from([83, 0, 0, 0, 4]);
  const ready = Buffer.from([90, 0, 0, 0, 5, 73]);
  const bytes = Buffer.concat([...queries(['SELECT 1', 'BEGIN']), sync, ready, sync]);
  for (let size = 1; size <= bytes.length; size++) {
    const frames = new MessageFrames();
    const seen: string[] = [];
    const take = (type: string, first: string): void => {
      seen.push(type === 'Z' ? type + first : type);
    };
    for (let at = 0; at < bytes.length; at += size) frames.read(bytes.subarray(at, at + size), take);
    expect([size, seen]).toEqual([size, ['Q', 'Q', 'S', 'ZI', 'S']]);
  }
});
