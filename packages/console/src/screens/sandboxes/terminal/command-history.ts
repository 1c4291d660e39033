/** Lines that were run, the newest last, and where the person is among them. */
export interface CommandHistory {
  readonly lines: readonly string[];
  /** Place of the line that is shown; as many as there are lines = the line that is being written. */
  readonly at: number;
  /** What was being written when the person began to look back. */
  readonly draft: string;
}

/** More lines are forgotten, the oldest first. */
const LINES_MAX = 200;

export const NO_HISTORY: CommandHistory = { lines: [], at: 0, draft: '' };

/** The history after a line was run; the same line twice in a row is kept once. */
export const withLine = ({ lines }: CommandHistory, line: string): CommandHistory => {
  const kept = lines.at(-1) === line ? lines : [...lines, line].slice(-LINES_MAX);
  return { lines: kept, at: kept.length, draft: '' };
};

/** One line back (-1) or forward (1) from what is written; the same history at its ends. */
export const moved = (history: CommandHistory, step: -1 | 1, written: string): CommandHistory => {
  const at = history.at + step;
  if (at < 0 || at > history.lines.length) return history;
  return { ...history, at, draft: history.at === history.lines.length ? written : history.draft };
};

/** The line at the place of the person. */
export const lineAt = ({ lines, at, draft }: CommandHistory): string => lines[at] ?? draft;
