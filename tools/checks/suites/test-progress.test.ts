import { describe, expect, it } from 'vitest';
import { type ProgressLine, readProgress, StillWatch } from './test-progress.ts';

const text = (lines: readonly ProgressLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const begun = (file: string): ProgressLine => ({ event: 'begun', file });
const ended = (file: string, state = 'passed'): ProgressLine => ({ event: 'ended', file, state });
const test = (file: string, title: string, state = 'passed'): ProgressLine => ({ event: 'test', file, title, state });

describe('the progress of a run', () => {
  it('counts what ended and tells how far the files came that did not', () => {
    const lines = [
      ...[
        { event: 'planned', files: 4 } as const,
        begun('a'),
        begun('b'),
        test('a', 'one'),
        test('b', 'two', 'failed'),
      ],
      ...[test('a', 'three', 'skipped'), ended('b', 'failed'), begun('c'), test('a', 'four')],
    ];
    const open = [
      { file: 'a', tests: 3, newest: 'four' },
      { file: 'c', tests: 0 },
    ];
    expect(readProgress(text(lines))).toEqual({ passed: 2, failed: 1, skipped: 1, planned: 4, begun: 3, open });
  });

  it('counts a file that failed outside its tests as one failure', () => {
    expect(readProgress(text([begun('a'), ended('a', 'failed')]))).toMatchObject({ passed: 0, failed: 1, open: [] });
  });

  it('leaves out a last line that is cut off, and is nothing before the first', () => {
    expect(readProgress(`${text([begun('a')])}{"event":"en`)).toMatchObject({ begun: 1, open: [{ file: 'a' }] });
    expect(readProgress('')).toEqual({ passed: 0, failed: 0, skipped: 0, planned: 0, begun: 0, open: [] });
  });
});

describe('the watch for a run that stands still', () => {
  it('sees it when files are open and nothing began or ended for so many looks', () => {
    const watch = new StillWatch(2);
    const lines: ProgressLine[] = [];
    const look = (...more: readonly ProgressLine[]): boolean => {
      lines.push(...more);
      return watch.isStill(readProgress(text(lines)));
    };
    expect([look(), look(), look()]).toEqual([false, false, false]);
    expect([look(begun('a'), begun('b')), look(), look(test('b', 'one'))]).toEqual([false, false, false]);
    expect([look(), look(), look()]).toEqual([false, true, true]);
    expect([look(ended('b')), look(), look()]).toEqual([false, false, true]);
    expect([look(ended('a')), look(), look()]).toEqual([false, false, false]);
  });
});
