import { expect, test } from 'vitest';
import { firstMark, type NewTurnRow, newTurnsOf } from './admission-marks.ts';

const row = (number: number): NewTurnRow => ({
  row: number,
  namespace: 'default',
  agent: 'helper',
  session_id: `s${number}`,
});
const missingOf = (mark: { readonly missing: readonly { readonly row: number }[] }): number[] =>
  mark.missing.map(({ row: number }) => number);

test('a number that was given out and not committed yet is asked for until it comes', () => {
  const { mark } = newTurnsOf({ row: 4, missing: [] }, [row(5), row(8)]);
  expect([mark.row, missingOf(mark)]).toEqual([8, [6, 7]]);
  const next = newTurnsOf(mark, [row(6), row(9)]);
  expect(next.sessions.map(({ sessionId }) => sessionId)).toEqual(['s6', 's9']);
  expect([next.mark.row, missingOf(next.mark)]).toEqual([9, [7]]);
});

test('a number that never comes is given up after ten reads', () => {
  let { mark } = newTurnsOf({ row: 4, missing: [] }, [row(6)]);
  for (let read = 1; read < 10; read++) {
    mark = newTurnsOf(mark, []).mark;
    expect(missingOf(mark)).toEqual([5]);
  }
  expect(newTurnsOf(mark, []).mark).toEqual({ row: 6, missing: [] });
});

test('a jump of the numbers costs a bounded number of questions', () => {
  const { mark } = newTurnsOf({ row: 4, missing: [] }, [row(1_000_000)]);
  expect(mark.missing).toHaveLength(1_000);
  expect(missingOf(mark).at(-1)).toBe(999_999);
});

test('a reader begins some way before the newest number', () => {
  expect(firstMark(5_000)).toEqual({ row: 4_000, missing: [] });
  expect(firstMark(7)).toEqual({ row: 0, missing: [] });
});
