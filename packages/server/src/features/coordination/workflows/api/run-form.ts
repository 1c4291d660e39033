import { create } from '@bufbuild/protobuf';
import {
  type WorkflowRun,
  type WorkflowRunEvent,
  WorkflowRunEventSchema,
  WorkflowRunSchema,
  type WorkflowStepRun,
  WorkflowStepRunSchema,
} from '@svc/api/data';
import type { WorkflowRunRow, WorkflowStepRow } from '../../../../store/contracts/index.ts';
import { type RunEvent, type RunState, runOf, stepOf, suspendValue, VALUE } from '../record/index.ts';

/** Texts of a run by the names of its values. */
export type RunTexts = ReadonlyMap<string, string>;

/** A run as a message. */
export const runForm = (row: WorkflowRunRow, texts: RunTexts): WorkflowRun => {
  const { id, namespace, workflow, status, labels, error, createdAt, updatedAt, revision, ...run } = runOf(row);
  return create(WorkflowRunSchema, {
    id,
    workflow,
    ns: namespace,
    status,
    inputJson: texts.get(VALUE.input) ?? '{}',
    stateJson: '{}',
    outputJson: texts.get(VALUE.output) ?? '',
    createdAt: BigInt(createdAt),
    updatedAt: BigInt(updatedAt),
    labels,
    error,
    specJson: texts.get(VALUE.spec) ?? '',
    workflowRevision: BigInt(revision),
    claimAttempt: run.advances,
    lastDispatchReason: run.lastReason,
  });
};

const micros = (time: number | undefined): bigint | undefined => (time === undefined ? undefined : BigInt(time));

/** A step of a run as a message; `schemas` are the resume schemas of its definition by step. */
export const stepForm = (
  row: WorkflowStepRow,
  texts: RunTexts,
  schemas: ReadonlyMap<string, string>,
): WorkflowStepRun => {
  const state = stepOf(row);
  const { stepId, id, attempt, status, error, createdAt, updatedAt } = state;
  const schema = schemas.get(stepId);
  const times = {
    nextRetryAt: micros(state.nextRetryAt),
    timeoutAt: micros(state.timeoutAt),
    waitUntilAt: micros(state.waitUntilAt),
  };
  return create(WorkflowStepRunSchema, {
    id,
    stepId,
    attempt,
    status,
    inputJson: texts.get(VALUE.stepInput(stepId)) ?? '',
    outputJson: texts.get(VALUE.stepOutput(stepId)) ?? '',
    error,
    childSessionId: state.childSessionId,
    childWorkflowRunId: state.childRunId,
    resumeJson: texts.get(VALUE.stepResume(stepId)) ?? '',
    suspendJson: schema === undefined ? '' : JSON.stringify(suspendValue(state, schema)),
    createdAt: BigInt(createdAt),
    updatedAt: BigInt(updatedAt),
    waitWakeupHandle: state.waitUntilAt === undefined ? '' : `workflow.timer/${row.runId}/${stepId}/wait`,
    ...Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined)),
  });
};

/** An event of a run as a message; `id` is its cursor. */
export const runEventForm = (
  { id: runId, namespace, workflow }: Pick<RunState, 'id' | 'namespace' | 'workflow'>,
  { type, stepId = '', message = '', payload = {}, at }: RunEvent,
  id: string,
): WorkflowRunEvent =>
  create(WorkflowRunEventSchema, {
    id,
    ns: namespace,
    workflow,
    runId,
    type,
    stepId,
    message,
    payloadJson: JSON.stringify(payload),
    timestamp: BigInt(at),
  });
