import { create } from '@bufbuild/protobuf';
import { type TaskSpec, TaskStatusSchema } from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import { isName, nameForm } from '../../../resources/index.ts';
import { queuedStatus, type TaskTimes, taskStatus } from './task-status.ts';
import { armTaskTimer, TASK_TIMER } from './task-timers.ts';
import { cancelDispatch, queueDispatch } from './task-work.ts';

/** How tasks are written: a fresh one is QUEUED, gets a time to end by, and its delegate begins. */
export const taskContract = (times: TaskTimes): KindContract =>
  kindContract<TaskSpec>({
    kind: 'Task',
    validate: ({ spec }) => checkTask(spec),
    observe: async (tx, { current, generation }) => {
      if (current === undefined) return queuedStatus(tx.now(), times);
      return create(TaskStatusSchema, { ...taskStatus(current), observedGeneration: BigInt(generation) });
    },
    applied: async (tx, { current, stored }, origin) => {
      if (current !== undefined) return;
      await armTaskTimer(tx, stored);
      await queueDispatch(tx, stored, origin.caller.identity);
    },
    removing: async (tx, resource) => {
      await tx.queue.cancel(TASK_TIMER, resource.uid);
      await cancelDispatch(tx, resource.uid);
    },
  });

const checkTask = (spec: TaskSpec): readonly FieldViolation[] =>
  (['owner', 'delegate'] as const).flatMap((member) => {
    const reference = spec[member];
    if (reference === undefined) return [];
    const fault = (field: string, description: string): FieldViolation => ({
      field: `spec.${member}.${field}`,
      description,
      reason: 'FIELD_INVALID',
    });
    return [
      ...(isName('agent', reference.name) ? [] : [fault('name', `must be the name of an agent: ${nameForm.agent}`)]),
      ...(reference.namespace === '' || isName('namespace', reference.namespace)
        ? []
        : [fault('namespace', `must be ${nameForm.namespace}`)]),
    ];
  });
