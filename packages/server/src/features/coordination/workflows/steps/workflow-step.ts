import type { JsonData } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ParentStep } from '../record/index.ts';
import { workflowIdentity } from './agent-step.ts';
import { failed, type StepType } from './step-contract.ts';
import { childLabels } from './step-labels.ts';

/** A run that a step begins. */
export interface ChildStart {
  readonly namespace: string;
  readonly workflow: string;
  readonly input: JsonData;
  readonly labels: Readonly<Record<string, string>>;
  readonly identity: string;
  readonly depth: number;
  readonly parent: ParentStep;
}

export interface ChildStepDeps {
  /** Begins a run in the transaction; answers its id. Throws a Fault where it cannot be. */
  readonly startChild: (tx: WriteTx, start: ChildStart) => Promise<string>;
  /** `limits.runDepthMax`. */
  readonly depthMax: number;
}

/** Begins a run of another workflow, or of its own, which reports its end. */
export const workflowStep = ({ startChild, depthMax }: ChildStepDeps): StepType => ({
  begin: async ({ open, step, state, input = {} }) => {
    const { tx, run } = open;
    const depth = run.depth + 1;
    // Further attempts would be as deep.
    if (depth > depthMax) return failed('RUN_DEPTH', `runs may begin each other ${depthMax} deep`, { isFinal: true });
    const parent = { runId: run.id, workflow: run.workflow, stepId: step.id, attempt: state.attempt };
    const childRunId = await startChild(tx, {
      namespace: run.namespace,
      workflow: step.workflow,
      input,
      labels: { ...run.labels, ...childLabels(parent) },
      identity: workflowIdentity(run),
      depth,
      parent,
    });
    return { end: 'later', status: 'WAITING_CHILD_WORKFLOW', facts: { childRunId } };
  },
});
