import type { Bus, ReadTx } from '../../../../store/contracts/index.ts';
import { callKey, queueItem, TOOL_CALL } from '../record/index.ts';
import { failed, type StepType } from './step-contract.ts';

export interface ToolStepDeps {
  readonly bus: Pick<Bus, 'publish'>;
  /** True when steps in that namespace may call the tool. */
  readonly isToolGranted: (reads: Pick<ReadTx, 'resources'>, namespace: string, tool: string) => Promise<boolean>;
}

/** Has a tool called outside of the transaction, which records its result when it has one. */
export const toolStep = ({ bus, isToolGranted }: ToolStepDeps): StepType => ({
  begin: async ({ open, step, state }) => {
    const { tx, run } = open;
    if (!(await isToolGranted(tx, run.namespace, step.tool)))
      return failed('TOOL_NOT_GRANTED', `workflows of ${run.namespace} may not call ${step.tool}`);
    const call = { runId: run.id, stepId: step.id, attempt: state.attempt };
    await queueItem(tx, bus, { kind: TOOL_CALL, key: callKey(call), payload: call });
    return { end: 'later', status: 'STARTING' };
  },
});
