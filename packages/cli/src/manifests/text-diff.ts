import type { Style } from '../terminal/index.ts';

const CONTEXT = 3;
/** With more lines, two texts are shown whole instead of compared. */
const LINES_MAX = 4_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Two texts as a unified diff with three lines around each change; '' when they are equal. */
export const unifiedDiff = (
  texts: { readonly before: string; readonly after: string },
  labels: { readonly before: string; readonly after: string },
): string => {
  if (texts.before === texts.after) return '';
  const lines = compare(linesOf(texts.before), linesOf(texts.after));
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  let [left, right] = [1, 1];
  let out = `--- ${labels.before}\n+++ ${labels.after}\n`;
  let hunk: Hunk | undefined;
  for (const [index, line] of lines.entries()) {
    if (near[index] === true) {
      hunk ??= { left, right, lines: [] };
      hunk.lines.push(line);
    } else if (hunk !== undefined) {
      out += hunkText(hunk);
      hunk = undefined;
    }
    if (line.mark !== '+') left += 1;
    if (line.mark !== '-') right += 1;
  }
  return hunk === undefined ? out : out + hunkText(hunk);
};

/** Lines that are shown together, and where they begin on both sides. */
interface Hunk {
  readonly left: number;
  readonly right: number;
  readonly lines: Line[];
}

/** A hunk below the header that `patch` reads: first line and count of both sides. */
const hunkText = ({ left, right, lines }: Hunk): string => {
  const head = `@@ -${rangeText(left, lines, '+')} +${rangeText(right, lines, '-')} @@\n`;
  return head + lines.map(({ mark, text }) => `${mark}${text}\n`).join('');
};

/** `first,count` of one side; a side without lines names the line before it. */
const rangeText = (first: number, lines: readonly Line[], other: Line['mark']): string => {
  const count = lines.filter(({ mark }) => mark !== other).length;
  return `${count === 0 ? first - 1 : first},${count}`;
};

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

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Longest common subsequence, line by line. */
const compare = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  if (before.length > LINES_MAX || after.length > LINES_MAX)
    return [
      ...before.map((text) => ({ mark: '-', text }) as const),
      ...after.map((text) => ({ mark: '+', text }) as const),
    ];
  const lengths = commonLengths(before, after);
  const lengthAt = (i: number, j: number): number => lengths[i * (after.length + 1) + j] ?? 0;
  const lines: Line[] = [];
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    const [left, right] = [before[i], after[j]];
    const isSame = left !== undefined && left === right;
    const isLeft = left !== undefined && (right === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1));
    lines.push(
      isSame ? { mark: ' ', text: left } : isLeft ? { mark: '-', text: left } : { mark: '+', text: right ?? '' },
    );
    i += isSame || isLeft ? 1 : 0;
    j += isSame || !isLeft ? 1 : 0;
  }
  return lines;
};

/** Length of the longest common subsequence from each pair of lines on, row by row. */
const commonLengths = (before: readonly string[], after: readonly string[]): Uint16Array => {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  return lengths;
};
