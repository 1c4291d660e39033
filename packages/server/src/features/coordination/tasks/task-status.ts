import { create } from '@bufbuild/protobuf';
import { TaskPhase, type TaskStatus, TaskStatusSchema } from '@svc/api/resources';
import { type Judged, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import { isActivePhase } from './task-rules.ts';

/** How long tasks may stay open and how long ended ones are kept; 0 keeps them. */
export interface TaskTimes {
  readonly lifetimeMicros: number;
  readonly retentionMicros: number;
}

/** Stored status of a task. */
export const taskStatus = (record: { readonly status: string }): TaskStatus =>
  messageFromText(kindRow('Task').status, record.status) as TaskStatus;

const NOT_STARTED: Judged = {
  phase: 'QUEUED',
  findings: [
    { type: 'Ready', status: 'True', reason: 'Ready' },
    { type: 'DelegatedExecution', status: 'Unknown', reason: 'NotStarted' },
  ],
};

/** Status of a fresh task. */
export const queuedStatus = (now: number, times: TaskTimes): TaskStatus =>
  create(TaskStatusSchema, {
    observedGeneration: 1n,
    phase: TaskPhase.QUEUED,
    conditions: judgedConditions([], NOT_STARTED, { now, generation: 1 }),
    createdAt: BigInt(now),
    updatedAt: BigInt(now),
    expiresAt: BigInt(now + times.lifetimeMicros),
  });

export interface TaskChange {
  /** UNSPECIFIED leaves the phase. */
  readonly phase: TaskPhase;
  /** '' leaves the summary. */
  readonly progressSummary: string;
}

/** The status after a change; the same object when nothing differs. An ended task keeps its record for the retention time. */
export const changedStatus = (
  status: TaskStatus,
  change: TaskChange,
  at: { readonly now: number; readonly times: TaskTimes },
): TaskStatus => {
  const phase = change.phase === TaskPhase.UNSPECIFIED ? status.phase : change.phase;
  const progressSummary = change.progressSummary === '' ? status.progressSummary : change.progressSummary;
  if (phase === status.phase && progressSummary === status.progressSummary) return status;
  const { now, times } = at;
  const hasEnded = isActivePhase(status.phase) && !isActivePhase(phase);
  const end = {
    completedAt: BigInt(now),
    expiresAt: times.retentionMicros === 0 ? 0n : BigInt(now + times.retentionMicros),
  };
  return create(TaskStatusSchema, {
    ...status,
    phase,
    progressSummary,
    updatedAt: BigInt(now),
    ...(hasEnded ? end : {}),
  });
};
