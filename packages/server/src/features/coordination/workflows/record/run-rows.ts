import type { WorkflowRunRow, WorkflowStepRow } from '../../../../store/contracts/index.ts';

/** What a run may show. */
export const RUN_STATUSES = [
  'QUEUED',
  'RUNNING',
  'WAITING_CHILDREN',
  'SUSPENDED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

export type StepStatus =
  | 'STARTING'
  | 'WAITING_CHILD_SESSION'
  | 'WAITING_CHILD_WORKFLOW'
  | 'WAITING_RETRY'
  | 'SUSPENDED'
  | 'COMPLETED'
  | 'FAILED'
  | 'SKIPPED'
  | 'CANCELLED';

const RUN_ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
const STEP_ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** Whether a run has ended: nothing of it changes any more. */
export const isRunOver = ({ status }: { readonly status: string }): boolean => RUN_ENDS.has(status);

/** Whether a step has ended. */
export const isStepOver = ({ status }: { readonly status: string }): boolean => STEP_ENDS.has(status);

/** The attempt of a step that a child run works for. */
export interface ParentStep {
  readonly runId: string;
  readonly workflow: string;
  readonly stepId: string;
  readonly attempt: number;
}

/** Body of the row of a run; times are micros. */
export interface RunBody {
  /** Generation of the workflow whose definition the run has. */
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Who began the run. */
  readonly identity: string;
  /** 1 for a run that no other one began. */
  readonly depth: number;
  readonly parent?: ParentStep;
  /** A turn with a call that waits for the run. */
  readonly waitingTurn?: string;
  readonly createdAt: number;
  updatedAt: number;
  /** `CODE: text` of a run that failed, the reason of one that was cancelled. */
  error: string;
  /** What the run was last advanced for. */
  lastReason: string;
  /** How often it was advanced. */
  advances: number;
  /** Number of its newest event. */
  events: number;
  /** Steps whose condition held and that wait until others end, because of the workflow's concurrency. */
  admitted: readonly string[];
}

/** A run as a transaction works with it. */
export interface RunState extends RunBody {
  readonly id: string;
  readonly namespace: string;
  readonly workflow: string;
  readonly workflowUid: string;
  status: RunStatus;
}

/** Body of the row of a step; of its newest attempt where it is about one. Times are micros. */
interface StepBody {
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  attempt: number;
  error: string;
  childSessionId: string;
  childTurnId: string;
  childRunId: string;
  /** What a suspended step shows to people. */
  prompt: string;
  nextRetryAt?: number | undefined;
  timeoutAt?: number | undefined;
  waitUntilAt?: number | undefined;
  /** The call of a tool was taken up: which process runs it, and until when by the clock of the store. */
  call?: { readonly owner: string; readonly until: number } | undefined;
}

/** A step as a transaction works with it. */
export interface StepState extends StepBody {
  readonly stepId: string;
  status: StepStatus;
}

/** The run in a row. */
export const runOf = (row: WorkflowRunRow): RunState => {
  const { body, status, ...facts } = row;
  return { ...facts, status: status as RunStatus, ...(JSON.parse(body) as RunBody) };
};

/** The row of a run. */
export const rowOfRun = ({ id, namespace, workflow, workflowUid, status, ...body }: RunState): WorkflowRunRow => ({
  id,
  namespace,
  workflow,
  workflowUid,
  status,
  body: JSON.stringify(body),
});

/** The step in a row. */
export const stepOf = ({ stepId, status, body }: WorkflowStepRow): StepState => ({
  stepId,
  status: status as StepStatus,
  ...(JSON.parse(body) as StepBody),
});

/** The row of a step. */
export const rowOfStep = (runId: string, { stepId, status, ...body }: StepState): WorkflowStepRow => ({
  runId,
  stepId,
  status,
  body: JSON.stringify(body),
});
