import { type Admission, PART, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { RunState } from '../record/index.ts';
import type { StepType } from './step-contract.ts';
import { attemptLabels, CAUSE } from './step-labels.ts';

export interface AgentStepDeps {
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
}

/** Whom the turns and tools of a workflow work for. */
export const workflowIdentity = ({ namespace, workflow }: Pick<RunState, 'namespace' | 'workflow'>): string =>
  `workflow:${namespace}/${workflow}`;

/** Asks an agent in a session of its own; the turn's end reports its answer. */
export const agentStep = ({ admission, lifecycle }: AgentStepDeps): StepType => ({
  begin: async ({ open, step, state, input, prompt }) => {
    const { tx, run } = open;
    const { namespace } = run;
    const { agent } = step;
    const identity = workflowIdentity(run);
    const labels = attemptLabels({ runId: run.id, workflow: run.workflow, stepId: step.id, attempt: state.attempt });
    const { id: sessionId } = await lifecycle.create(tx, { namespace, agent, labels, identity });
    // In one line: indented, data that nests deeply would be hundreds of times as long.
    const content = input === undefined ? prompt : `${prompt}\n\n\`\`\`json\n${JSON.stringify(input)}\n\`\`\``;
    const { turnId } = await admission.admit(tx, {
      namespace,
      agent,
      sessionId,
      parts: [{ id: '', type: PART.TEXT, content, createdAt: tx.now() }],
      labels,
      whenBusy: 'QUEUE',
      cause: { kind: CAUSE, identity, labels, lineage: [] },
    });
    const facts = { childSessionId: sessionId, childTurnId: turnId };
    return { end: 'later', status: 'WAITING_CHILD_SESSION', facts };
  },
});
