import { TaskPhase } from '@svc/api/resources';
import { textOrEmpty } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import { everyResource, type ReadTx, type StoredResource } from '../../../../store/contracts/index.ts';
import {
  jsonResult,
  NAMESPACE_ARGUMENT,
  namespaceOf,
  numberOf,
  shownTime,
} from '../../../../tools/authority-contract.ts';
import type { Tool } from '../../../../tools/contract.ts';
import { executionOf, taskSpec, taskStatus } from '../task-status.ts';
import type { TaskToolsDeps } from './task-tools-deps.ts';

const LIST_DEFAULT = 20;
const LIST_MAX = 100;

/** Phases by the names that models and people use. */
export const PHASE_NAMES: readonly string[] = Object.values(TaskPhase).filter(
  (name): name is keyof typeof TaskPhase => typeof name === 'string' && name !== 'UNSPECIFIED',
);
export const TASK_NAME = { type: 'string', minLength: 1, maxLength: 253 } as const;

/** A task as models read it. */
export const shownTask = (record: StoredResource) => {
  const { title, description, type, owner, delegate } = taskSpec(record);
  const status = taskStatus(record);
  const { executionRef, outputArtifactUris } = status;
  return {
    name: record.key.name,
    title,
    ...(description === '' ? {} : { description }),
    ...(type === '' ? {} : { type }),
    phase: TaskPhase[status.phase],
    execution: executionOf(status),
    ...(owner === undefined ? {} : { owner: owner.name }),
    ...(delegate === undefined ? {} : { delegate: delegate.name }),
    ...(status.progressSummary === '' ? {} : { progress_summary: status.progressSummary }),
    ...(outputArtifactUris.length === 0 ? {} : { output_artifact_uris: outputArtifactUris }),
    ...(executionRef === undefined ? {} : { session_id: executionRef.sessionId }),
    created_at: shownTime(Number(status.createdAt)),
    updated_at: shownTime(Number(status.updatedAt)),
  };
};

/** The stored task; throws TASK_NOT_FOUND. */
export const storedTask = async (
  tx: Pick<ReadTx, 'resources'>,
  namespace: string,
  name: string,
): Promise<StoredResource> => {
  const key = recordKey('Task', namespace, name);
  const record = await tx.resources.get(key);
  if (record === undefined) throw resourceNotFound(key);
  return record;
};

export const listTasks = (deps: Pick<TaskToolsDeps, 'store' | 'visibleNamespaces'>): Tool => ({
  name: 'list_tasks',
  description: 'Lists tasks of this workspace, the newest first.',
  inputSchema: {
    type: 'object',
    properties: {
      group: { type: 'string', maxLength: 253, description: 'type of the tasks' },
      phase: { type: 'string', enum: PHASE_NAMES },
      delegate: { type: 'string', maxLength: 253, description: 'agent that works on them' },
      limit: { type: 'integer', minimum: 1, maximum: LIST_MAX, default: LIST_DEFAULT },
      namespace: NAMESPACE_ARGUMENT,
    },
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: 'tasks', action: 'inspect' },
  run: (context, input) =>
    deps.store.read(async (tx) => {
      const { visibleNamespaces } = deps;
      const namespace = await namespaceOf(context, input['namespace'], (name) => visibleNamespaces(tx, name));
      const all = await everyResource(tx.resources, { kind: 'Task', scope: { type: 'namespace', namespace } });
      const found = all
        .map((record) => ({ record, shown: shownTask(record) }))
        .filter(({ shown }) => isMeant(shown, input))
        .sort((a, b) => b.record.createdAt - a.record.createdAt || (a.shown.name < b.shown.name ? -1 : 1));
      return jsonResult(found.slice(0, numberOf(input['limit'], LIST_DEFAULT)).map(({ shown }) => shown));
    }),
});

const isMeant = (task: ReturnType<typeof shownTask>, input: Readonly<Record<string, unknown>>): boolean => {
  const { group = task.type, phase = task.phase, delegate = task.delegate } = input;
  return group === task.type && phase === task.phase && delegate === task.delegate;
};

export const getTask = (deps: Pick<TaskToolsDeps, 'store' | 'visibleNamespaces'>): Tool => ({
  name: 'get_task',
  description: 'Reads one task: its phase, what was reported, and the session that works on it.',
  inputSchema: {
    type: 'object',
    properties: { name: TASK_NAME, namespace: NAMESPACE_ARGUMENT },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: 'tasks', action: 'inspect' },
  run: (context, input) =>
    deps.store.read(async (tx) => {
      const { visibleNamespaces } = deps;
      const namespace = await namespaceOf(context, input['namespace'], (name) => visibleNamespaces(tx, name));
      return jsonResult(shownTask(await storedTask(tx, namespace, textOrEmpty(input['name']))));
    }),
});
