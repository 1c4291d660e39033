/**
 * features/coordination/workflows/record: what a run keeps: its row, its steps, its values and its events, and how they are read and
 * written in one transaction. Decides nothing about what happens next: `steps` and `runs` do.
 */
export * from './open-run.ts';
export * from './run-claims.ts';
export * from './run-events.ts';
export * from './run-queue.ts';
export * from './run-rows.ts';
export * from './run-tally.ts';
