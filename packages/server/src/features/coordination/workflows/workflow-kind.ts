import { create } from '@bufbuild/protobuf';
import { type WorkflowSpec, WorkflowStatusSchema } from '@svc/api/resources';
import {
  type CheckReads,
  followKinds,
  type KindContract,
  kindContract,
  type SpecWrite,
} from '../../../controllers/contract.ts';
import { commonStatus, type Finding, recordKey } from '../../../resources/index.ts';
import type { ReadTx, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { checkWorkflow, fillWorkflowDefaults, unorderedUses, type WorkflowLimits } from './workflow-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface WorkflowKindDeps {
  readonly limits: WorkflowLimits;
  /** True when steps in that namespace may call the tool. */
  readonly isToolGranted: (reads: Reads, namespace: string, tool: string) => Promise<boolean>;
  /** Has the runs of a workflow that is deleted cancelled and removed. */
  readonly leaveRuns: (tx: WriteTx, workflow: StoredResource) => Promise<void>;
}

/** Agents and workflows of steps are those of the workflow's own namespace. */
const LOCAL = { presenceOnly: true, sameNamespace: true };

/** How workflows are written, whichever operation writes them. What runs do is decided in `runs`. */
export const workflowContract = (deps: WorkflowKindDeps): KindContract =>
  kindContract<WorkflowSpec>({
    kind: 'Workflow',
    defaults: fillWorkflowDefaults,
    validate: ({ spec }) => checkWorkflow(spec, deps.limits),
    observe: (tx, write) => observe(deps, tx, write),
    removing: (tx, workflow) => deps.leaveRuns(tx, workflow),
    dependsOn: followKinds('Workflow', {
      Agent: LOCAL,
      Workflow: LOCAL,
      McpServer: {},
      McpServerBinding: {},
      Namespace: {},
    }),
  });

const observe = async (deps: WorkflowKindDeps, tx: CheckReads, write: SpecWrite<WorkflowSpec>) => {
  const { current, generation, spec } = write;
  const resolved = await judgeReferences(deps, tx, write);
  const unordered = unorderedUses(spec);
  const ordered: Finding =
    unordered.length === 0
      ? { type: 'ReferencesOrdered', status: 'True', reason: 'Ordered' }
      : { type: 'ReferencesOrdered', status: 'False', reason: 'NotUpstream', message: unordered.join('; ') };
  const findings = [resolved, ordered];
  const phase = findings.every((finding) => finding.status === 'True') ? 'Ready' : 'Degraded';
  const judged = { phase, findings };
  const { $typeName: _, ...status } = commonStatus(current, judged, { now: tx.now(), generation });
  return create(WorkflowStatusSchema, status);
};

const judgeReferences = async (
  deps: WorkflowKindDeps,
  reads: Reads,
  write: SpecWrite<WorkflowSpec>,
): Promise<Finding> => {
  const { namespace, name } = write.key;
  const exists = async (kind: string, wanted: string): Promise<boolean> =>
    (await reads.resources.get(recordKey(kind, namespace, wanted))) !== undefined;
  const problems: { readonly reason: string; readonly message: string }[] = [];
  for (const step of write.spec.steps) {
    if (step.type === 'agent' && !(await exists('Agent', step.agent)))
      problems.push({ reason: 'AgentNotFound', message: `step ${step.id}: no agent ${step.agent}` });
    if (step.type === 'workflow' && step.workflow !== name && !(await exists('Workflow', step.workflow)))
      problems.push({ reason: 'WorkflowNotFound', message: `step ${step.id}: no workflow ${step.workflow}` });
    if (step.type === 'tool' && !(await deps.isToolGranted(reads, namespace, step.tool)))
      problems.push({ reason: 'ToolNotGranted', message: `step ${step.id}: tool ${step.tool} is not granted` });
  }
  const [first] = problems;
  if (first === undefined) return { type: 'ReferencesResolved', status: 'True', reason: 'Resolved' };
  const message = problems.map((problem) => problem.message).join('; ');
  return { type: 'ReferencesResolved', status: 'False', reason: first.reason, message };
};
