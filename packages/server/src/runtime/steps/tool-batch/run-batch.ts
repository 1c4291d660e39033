import type { ToolEffect } from '../../../tools/contract.ts';
import { type BatchCall, type CallState, nextCalls } from './next-calls.ts';

export interface BatchPlan {
  readonly calls: readonly { readonly effect: ToolEffect; readonly state: Exclude<CallState, 'running'> }[];
  readonly parallelTools: number;
  /**
   * Runs or answers one call and records its result, or answers `waiting`: the call needs an answer or an event first. A rejection
   * (lost claim, store failure) ends the batch.
   */
  readonly settle: (index: number) => Promise<'waiting' | 'done'>;
  /** True once nothing more may start: stop flag, lost claim, hand-over. */
  readonly isStopping: () => boolean;
}

export type BatchEnd =
  | { readonly kind: 'finished' }
  /** Waits for this call; everything before it is done. */
  | { readonly kind: 'parked'; readonly index: number }
  | { readonly kind: 'stopped' };

/**
 * Drives a batch to its end, a park or a stop. Resolves only when nothing it started is still open; a rejection of
 * `settle` starts nothing more and is rethrown then.
 */
export const driveBatch = async (plan: BatchPlan): Promise<BatchEnd> => {
  const calls: BatchCall[] = plan.calls.map((call) => ({ ...call }));
  const open = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const start = (index: number): void => {
    const { effect } = calls[index] ?? { effect: 'external' };
    calls[index] = { effect, state: 'running' };
    const work = settleCall(plan, index)
      .then(
        (outcome) => {
          calls[index] = { effect, state: outcome === 'waiting' ? 'asking' : 'done' };
        },
        (error: unknown) => {
          failures.push(error);
        },
      )
      .finally(() => open.delete(work));
    open.add(work);
  };
  for (;;) {
    const next = nextCalls(calls, plan.parallelTools);
    if (next.finished) return { kind: 'finished' };
    const mayStart = failures.length === 0 && !plan.isStopping();
    if (mayStart) for (const index of [...next.answer, ...next.run]) start(index);
    if (open.size > 0) await Promise.race(open);
    else if (failures.length > 0) throw failures[0];
    else if (!mayStart) return { kind: 'stopped' };
    else if (next.park !== undefined) return { kind: 'parked', index: next.park };
  }
};

/** Also turns a synchronous throw into a rejection. */
const settleCall = async (plan: BatchPlan, index: number): Promise<'waiting' | 'done'> => plan.settle(index);
