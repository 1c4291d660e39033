import { type Message, Role, type SendMessageRequest, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { RemoteMessage, RemoteState, RemoteTask } from './client-contract.ts';
import { peerPart, wirePart } from './wire-forms.ts';

/** Between the plain types of agents elsewhere and those of the library. Pure; takes whatever a peer sends. */

const STATES: Partial<Record<TaskState, RemoteState>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'working',
  [TaskState.TASK_STATE_WORKING]: 'working',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_REJECTED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
};

/** A state that is not known is one in which the task may still work. */
const stateOf = (status: TaskStatus | undefined): RemoteState =>
  (status === undefined ? undefined : STATES[status.state]) ?? 'working';

/** A status that an event reports of a task. */
export const remoteStatus = (
  names: { readonly taskId: string; readonly contextId: string },
  status: TaskStatus | undefined,
): RemoteTask => ({
  id: names.taskId,
  contextId: names.contextId,
  state: stateOf(status),
  statusParts: (status?.message?.parts ?? []).flatMap(peerPart),
  parts: [],
});

export const remoteTask = ({ id, contextId, status, artifacts }: Task): RemoteTask => ({
  ...remoteStatus({ taskId: id, contextId }, status),
  parts: artifacts.flatMap(({ parts }) => parts.flatMap(peerPart)),
});

/** A message in place of a task is the whole answer. */
export const remoteReply = ({ contextId, parts }: Message): RemoteTask => ({
  id: '',
  contextId,
  state: 'completed',
  statusParts: [],
  parts: parts.flatMap(peerPart),
});

export const sendRequest = (message: RemoteMessage): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: message.id,
    contextId: message.contextId,
    taskId: message.taskId,
    role: Role.ROLE_USER,
    parts: message.parts.map(wirePart),
    metadata: { ...message.metadata },
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [...message.outputModes],
    taskPushNotificationConfig: undefined,
    historyLength: 0,
    returnImmediately: true,
  },
  metadata: undefined,
});
