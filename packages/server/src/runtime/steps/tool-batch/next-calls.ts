import type { ToolEffect } from '../../../tools/contract.ts';

/**
 * State of one call of a batch. `asking`: a question about it is not answered yet, or what it waits for did not happen yet. `refused`:
 * has a result without running. `done`: its TOOL_RESULT is journaled.
 */
export type CallState = 'ready' | 'asking' | 'refused' | 'running' | 'done';

export interface BatchCall {
  readonly effect: ToolEffect;
  readonly state: CallState;
}

/** What may happen now; all empty and not finished = wait for a running call. Numbers are positions in the batch. */
export interface NextCalls {
  readonly run: readonly number[];
  /** Calls whose ready-made result can be recorded. */
  readonly answer: readonly number[];
  /** The turn waits for this call; nothing runs meanwhile. */
  readonly park: number | undefined;
  readonly finished: boolean;
}

/**
 * What of a batch may run now: in call order, adjacent reads together up to `parallelTools`, write and external calls
 * alone.
 */
export const nextCalls = (calls: readonly BatchCall[], parallelTools: number): NextCalls => {
  const run: number[] = [];
  const answer: number[] = [];
  let busy = 0;
  for (const [index, call] of calls.entries()) {
    if (call.state === 'done') continue;
    if (call.state === 'refused') {
      answer.push(index);
      continue;
    }
    if (call.state === 'asking')
      return { run, answer, park: busy + answer.length === 0 ? index : undefined, finished: false };
    if (call.effect !== 'read') {
      if (call.state === 'ready' && busy === 0) run.push(index);
      return { run, answer, park: undefined, finished: false };
    }
    if (busy >= parallelTools) break;
    if (call.state === 'ready') run.push(index);
    busy += 1;
  }
  return { run, answer, park: undefined, finished: busy + answer.length === 0 };
};
