import { create } from '@bufbuild/protobuf';
import {
  type FileObjectRef,
  type TaskExecutionRef,
  TaskPhase,
  type TaskSpec,
  type TaskStatus,
  TaskStatusSchema,
} from '@svc/api/resources';
import { type Finding, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import { isActivePhase } from './task-rules.ts';

/** How long tasks may stay open and how long ended ones are kept; 0 keeps them. */
export interface TaskTimes {
  readonly lifetimeMicros: number;
  readonly retentionMicros: number;
}

/** Stored spec of a task. */
export const taskSpec = (record: { readonly spec: string }): TaskSpec =>
  messageFromText(kindRow('Task').spec, record.spec) as TaskSpec;

/** Stored status of a task. */
export const taskStatus = (record: { readonly status: string }): TaskStatus =>
  messageFromText(kindRow('Task').status, record.status) as TaskStatus;

/** How far the delegate's turn is: the reason of condition DelegatedExecution. */
export type Execution =
  | 'NotStarted'
  | 'Queued'
  | 'Running'
  | 'AwaitingPerson'
  | 'AwaitingEvent'
  | 'Completed'
  | 'Failed'
  | 'Stopped';

const EXECUTION = 'DelegatedExecution';
const STATES: Readonly<Record<Execution, Finding['status']>> = {
  NotStarted: 'Unknown',
  Queued: 'Unknown',
  Running: 'True',
  AwaitingPerson: 'True',
  AwaitingEvent: 'True',
  Completed: 'False',
  Failed: 'False',
  Stopped: 'False',
};

/** What the condition DelegatedExecution says. */
export const executionOf = ({ conditions }: Pick<TaskStatus, 'conditions'>): Execution => {
  const reason = conditions.find(({ type }) => type === EXECUTION)?.reason ?? '';
  return Object.hasOwn(STATES, reason) ? (reason as Execution) : 'NotStarted';
};

const conditionsOf = (status: TaskStatus, execution: Execution, now: number): TaskStatus['conditions'] => {
  const phase = TaskPhase[status.phase] ?? '';
  const findings: readonly Finding[] = [
    { type: 'Ready', status: 'True', reason: 'Ready' },
    { type: EXECUTION, status: STATES[execution], reason: execution },
  ];
  const at = { now, generation: Number(status.observedGeneration) };
  return create(TaskStatusSchema, { conditions: judgedConditions(status.conditions, { phase, findings }, at) })
    .conditions;
};

/** Status of a fresh task. */
export const queuedStatus = (now: number, times: TaskTimes): TaskStatus => {
  const status = create(TaskStatusSchema, {
    observedGeneration: 1n,
    phase: TaskPhase.QUEUED,
    createdAt: BigInt(now),
    updatedAt: BigInt(now),
    expiresAt: BigInt(now + times.lifetimeMicros),
  });
  status.conditions = conditionsOf(status, 'NotStarted', now);
  return status;
};

export interface TaskChange {
  /** UNSPECIFIED or absent leaves the phase. */
  readonly phase?: TaskPhase;
  /** '' or absent leaves the summary. */
  readonly progressSummary?: string;
  /** The summary is of work that was done before: it goes. */
  readonly clearsSummary?: boolean;
  /** What the work has produced: URIs of artifacts, and where their content is. */
  readonly outputs?: { readonly uris: readonly string[]; readonly artifacts: readonly FileObjectRef[] };
  /** Where the work is done. */
  readonly executionRef?: TaskExecutionRef;
  readonly execution?: Execution;
}

/** The status after a change; the same object when nothing differs. An ended task keeps its record for the retention time. */
export const changedStatus = (
  status: TaskStatus,
  change: TaskChange,
  at: { readonly now: number; readonly times: TaskTimes },
): TaskStatus => {
  const { phase: wanted = TaskPhase.UNSPECIFIED, progressSummary: summary = '', execution } = change;
  const phase = wanted === TaskPhase.UNSPECIFIED ? status.phase : wanted;
  const kept = change.clearsSummary === true ? '' : status.progressSummary;
  const progressSummary = summary === '' ? kept : summary;
  const isSame =
    phase === status.phase &&
    progressSummary === status.progressSummary &&
    change.outputs === undefined &&
    change.executionRef === undefined &&
    (execution === undefined || execution === executionOf(status));
  if (isSame) return status;
  const { now, times } = at;
  const hasEnded = isActivePhase(status.phase) && !isActivePhase(phase);
  const end = {
    completedAt: BigInt(now),
    expiresAt: times.retentionMicros === 0 ? 0n : BigInt(now + times.retentionMicros),
  };
  const changed = create(TaskStatusSchema, {
    ...status,
    phase,
    progressSummary,
    updatedAt: BigInt(now),
    ...(change.outputs === undefined
      ? {}
      : { resultArtifacts: [...change.outputs.artifacts], outputArtifactUris: [...change.outputs.uris] }),
    ...(change.executionRef === undefined ? {} : { executionRef: change.executionRef }),
    ...(hasEnded ? end : {}),
  });
  changed.conditions = conditionsOf(changed, execution ?? executionOf(status), now);
  return changed;
};
