import { expect, it } from 'vitest';
import { type CommandHistory, lineAt, moved, NO_HISTORY, withLine } from './command-history.ts';

const of = (...lines: readonly string[]): CommandHistory => lines.reduce(withLine, NO_HISTORY);

it('goes back to older lines and forward again to what was being written', () => {
  const back = moved(of('ls', 'pwd'), -1, 'cat no');
  expect(lineAt(back)).toBe('pwd');
  const further = moved(back, -1, 'pwd');
  expect(lineAt(further)).toBe('ls');
  expect(moved(further, -1, 'ls')).toBe(further);
  const forward = moved(moved(further, 1, 'ls'), 1, 'pwd');
  expect(lineAt(forward)).toBe('cat no');
  expect(moved(forward, 1, 'cat no')).toBe(forward);
});

it('keeps a line that is run twice in a row once, and the newest 200', () => {
  expect(of('ls', 'ls', 'pwd', 'ls').lines).toEqual(['ls', 'pwd', 'ls']);
  const many = of(...Array.from({ length: 201 }, (_, at) => `echo ${at}`));
  expect([many.lines.length, many.lines[0], many.at]).toEqual([200, 'echo 1', 200]);
});

it('begins at the end after a line was run', () => {
  expect(lineAt(withLine(moved(of('ls'), -1, ''), 'pwd'))).toBe('');
});
