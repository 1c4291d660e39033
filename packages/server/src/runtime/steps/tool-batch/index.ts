/**
 * runtime/steps/tool-batch: the small inner engine of a step's tool calls. Pure rules decide what may run now and which calls
 * are answered without running; `runTool` runs one tool and never throws; `toolResultPart` turns its result into the
 * stored part. Owns call ids and idempotency keys. Does not own the journal, permissions, quotas or events: the tool
 * step does these around each call. Does I/O only through the object writer that it is given.
 *
 * The model step calls `toolCallId` and `callInput` when the response is complete, the tool step `judgeCalls`,
 * `driveBatch` (or `nextCalls`), and inside its `settle`: `idempotencyKey`, `runTool`, `toolResultPart`.
 */

export * from './call-input.ts';
export * from './call-key.ts';
export { failureFields } from './failure-fields.ts';
export * from './judge-calls.ts';
export * from './next-calls.ts';
export {
  answeredCalls,
  answersTo,
  batchOf,
  decisionFor,
  hasOpenCalls,
  hasOpenQuestion,
} from './recorded-calls.ts';
export * from './result-part.ts';
export * from './run-batch.ts';
export * from './run-tool.ts';
export * from './text-cut.ts';
