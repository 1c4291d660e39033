import type { AdmissionMark, NewTurns } from '../contracts/index.ts';

/** The turn with the number of its row, which rises with each insert but is committed in any order. */
export interface NewTurnRow {
  readonly row: number;
  readonly namespace: string;
  readonly agent: string;
  readonly session_id: string;
}

/** Rows before the newest one that a first mark still asks for: their transactions may be under way. */
const FIRST_REACH = 1_000;
/** Reads for which a missing number is asked for; one read a second outlasts the 5 s of a transaction. */
const READS = 10;
const MAX_MISSING = 1_000;

/** The mark of a reader that begins when `newest` is the greatest number seen. */
export const firstMark = (newest: number): AdmissionMark => {
  const row = Math.max(0, newest - FIRST_REACH);
  return { row, missing: [] };
};

/** What was read behind a mark: rows above `mark.row` in order, and those of its missing numbers that have come. */
export const newTurnsOf = (mark: AdmissionMark, rows: readonly NewTurnRow[]): NewTurns => {
  const found = new Set(rows.map((row) => row.row));
  const newest = Math.max(mark.row, ...found);
  const missing = mark.missing
    .filter(({ row, readsLeft }) => !found.has(row) && readsLeft > 1)
    .map(({ row, readsLeft }) => ({ row, readsLeft: readsLeft - 1 }));
  for (let row = Math.max(mark.row + 1, newest - MAX_MISSING); row < newest; row++)
    if (!found.has(row)) missing.push({ row, readsLeft: READS });
  return {
    sessions: rows.map(({ namespace, agent, session_id: sessionId }) => ({ namespace, agent, sessionId })),
    mark: { row: newest, missing: missing.slice(-MAX_MISSING) },
  };
};
