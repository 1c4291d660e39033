/**
 * history: what of a conversation the model gets to see. `createHistoryReader()` reads the messages of earlier turns and
 * the appended ones in the order of their turns; `replaySteps` turns messages into model messages. Does not own the
 * budget, the prompt around the transcript (runtime/prompt), or the current turn's parts (the turn engine adds them).
 * `toolOutputs()` finds the whole text of an earlier tool result. Called by the turn engine (reader), by runtime/prompt (replay) and,
 * through a tool, by models (outputs).
 */
export * from './compaction-cut.ts';
export * from './compaction-keeps.ts';
export * from './history-order.ts';
export * from './history-reader.ts';
export * from './object-loader.ts';
export * from './replay-steps.ts';
export * from './shown-result.ts';
export * from './tool-outputs.ts';
