/**
 * features/coordination/workflows/runs: how runs begin, what begins next in them, and how they end.
 *
 * Everything that happens to a run is one transaction that holds its row, applies one thing (a report of a child, a timer, a resume) and then
 * advances: it begins every step that may begin, and ends the run when nothing is left. Whatever has to happen later is an item of the
 * durable queue written in that transaction, so a process may die anywhere:
 *
 * 1. A run reads its own copy of the definition and nothing of the workflow.
 * 2. What ends or moves a step names its attempt; anything about another attempt, or about a step or run that has ended, changes nothing.
 * 3. An attempt and its child (session and turn, run, or call of a tool) begin in one transaction.
 * 4. The end of a run, its terminal event, its report to a parent and the stop of its children are one transaction.
 * 5. A run that has not ended has a queued item, a child that will report, a timer, or a step that waits for a person.
 * 6. No transaction holds two runs: parents and children reach each other through the queue.
 */
export * from './run-driver.ts';
export * from './run-moves.ts';
export * from './run-removal.ts';
export * from './run-starts.ts';
export * from './run-workers.ts';
export * from './tool-calls.ts';
