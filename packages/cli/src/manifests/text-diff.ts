import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { Style } from '../terminal/index.ts';

/** Lines around each change. */
const CONTEXT = 3;
/** Texts that differ in more lines are shown whole: comparing them takes the square of this. */
const CHANGED_LINES_MAX = 1_000;

interface Sides {
  readonly before: string;
  readonly after: string;
}

/** Two texts, each empty or ended by a line feed, as a unified diff with three lines around each change; '' when they are equal. */
export const unifiedDiff = (texts: Sides, labels: Sides): string => {
  if (texts.before === texts.after) return '';
  const options = { context: CONTEXT, maxEditLength: CHANGED_LINES_MAX };
  const { before, after } = labels;
  const hunks =
    structuredPatch(before, after, texts.before, texts.after, undefined, undefined, options)?.hunks ??
    wholeTexts(texts);
  const names = { oldFileName: before, newFileName: after, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY);
};

/** One hunk that takes every line away and adds all the others. */
const wholeTexts = ({ before, after }: Sides) => {
  const [left, right] = [linesOf(before), linesOf(after)];
  const lines = [...left.map((line) => `-${line}`), ...right.map((line) => `+${line}`)];
  return [{ oldStart: 1, oldLines: left.length, newStart: 1, newLines: right.length, lines }];
};

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** A unified diff in colours: headers bold, positions cyan, removed lines red, added ones green. */
export const paintDiff = (diff: string, style: Style): string =>
  diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('--- ') || line.startsWith('+++ ')) return style.bold(line);
      if (line.startsWith('@@ ')) return style.cyan(line);
      return line.startsWith('-') ? style.red(line) : line.startsWith('+') ? style.green(line) : line;
    })
    .join('\n');
