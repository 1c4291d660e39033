import { describe, expect, it } from 'vitest';
import { CursorLine, Cursors } from './cursor.ts';

const id = '0190a0a0-0000-7000-8000-0123456789ab';
const other = '0190a0a0-0000-7000-8000-0123456789ac';

describe('cursors of a store', () => {
  const cursors = new Cursors('epoch');

  it('are the text that was handed out before', () => {
    // Clients keep cursors: a store has to read those of every release before this one.
    expect(new CursorLine(cursors.prefix(id, 3)).at(167_772_161)).toBe('r8mzHZ8_0123456789ab-3-2rvxtt');
    expect(new CursorLine(cursors.prefix(id)).at(71)).toBe('r8mzHZ8_0123456789ab-1z');
  });

  it('say what was put in, of their owner only', () => {
    const text = new CursorLine(cursors.prefix(id, 3)).at(71);
    expect(cursors.read(text, id, 2)).toEqual({ isForeign: false, numbers: [3, 71] });
    expect(cursors.read(text, other, 2)).toBeUndefined();
    expect(cursors.read(text, id, 1)).toBeUndefined();
    expect(new Cursors('another').read(text, id, 2)).toEqual({ isForeign: true, numbers: [3, 71] });
  });

  it.each(['', '0', 'live', 'yesterday', `r8mzHZ8_0123456789ab`, `r8mzHZ8_0123456789ab-`, `r8mzHZ8_0123456789ab--1`])(
    'are not %j',
    (text) => {
      expect(cursors.read(text, id, 1)).toBeUndefined();
    },
  );

  it('are not numbers that no feed has', () => {
    expect(cursors.read(`r8mzHZ8_0123456789ab-${'z'.repeat(12)}`, id, 1)).toBeUndefined();
  });
});

describe('the cursors along a feed', () => {
  it('are read back, and other text is not', () => {
    const line = new CursorLine('run.');
    expect([line.at(36), line.read('run.10'), line.at(37)]).toEqual(['run.10', 36, 'run.11']);
    expect(['', 'run.', 'run', 'other.10', 'run.1-0', `run.${'z'.repeat(11)}`].map((text) => line.read(text))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });
});
