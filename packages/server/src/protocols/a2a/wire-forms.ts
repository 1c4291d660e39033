import { Buffer } from 'node:buffer';
import {
  type AgentCard,
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import type { PeerCard, PeerMessage, PeerPart, PeerPush, PeerTask, PeerTaskEvent, PeerTaskState } from './contract.ts';

/** Between the plain types and those of the library. Pure. */

const STATES: Readonly<Record<PeerTaskState, TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
};

export const wirePart = (part: PeerPart): Part => {
  const facts = { metadata: undefined, filename: '', mediaType: '' };
  switch (part.kind) {
    case 'text':
      return { ...facts, content: { $case: 'text', value: part.text }, mediaType: 'text/plain' };
    case 'data':
      return { ...facts, content: { $case: 'data', value: part.value }, mediaType: 'application/json' };
    case 'url':
      return {
        ...facts,
        content: { $case: 'url', value: part.url },
        filename: part.filename,
        mediaType: part.mediaType,
      };
    case 'bytes':
      return {
        ...facts,
        content: { $case: 'raw', value: Buffer.from(part.bytes) },
        filename: part.filename,
        mediaType: part.mediaType,
      };
  }
};

export const peerPart = ({ content, filename, mediaType }: Part): readonly PeerPart[] => {
  switch (content?.$case) {
    case 'text':
      return [{ kind: 'text', text: content.value }];
    case 'data':
      return [{ kind: 'data', value: content.value as unknown }];
    case 'url':
      return [{ kind: 'url', url: content.value, mediaType, filename }];
    case 'raw':
      return [{ kind: 'bytes', bytes: new Uint8Array(content.value), mediaType, filename }];
    default:
      return [];
  }
};

export const peerMessage = (message: Message): PeerMessage => ({
  id: message.messageId,
  contextId: message.contextId,
  taskId: message.taskId,
  parts: message.parts.flatMap(peerPart),
  metadata: message.metadata ?? {},
});

const wireMessage = (
  task: Pick<PeerTask, 'id' | 'contextId'>,
  message: { readonly id: string; readonly role: Role; readonly parts: readonly PeerPart[] },
): Message => ({
  messageId: message.id,
  contextId: task.contextId,
  taskId: task.id,
  role: message.role,
  parts: message.parts.map(wirePart),
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const wireStatus = (task: Omit<PeerTask, 'artifacts'>): TaskStatus => ({
  state: STATES[task.state],
  message:
    task.statusParts.length === 0
      ? undefined
      : wireMessage(task, { id: `${task.id}-status`, role: Role.ROLE_AGENT, parts: task.statusParts }),
  timestamp: new Date(task.atMs).toISOString(),
});

const wireArtifact = ({ id, parts }: PeerTask['artifacts'][number]): Artifact => ({
  artifactId: id,
  name: id,
  description: '',
  parts: parts.map(wirePart),
  metadata: undefined,
  extensions: [],
});

/** `historyLength` 0 leaves the message out that began the task. */
export const wireTask = (task: PeerTask, historyLength?: number): Task => ({
  id: task.id,
  contextId: task.contextId,
  status: wireStatus(task),
  artifacts: task.artifacts.map(wireArtifact),
  history:
    task.request === undefined || historyLength === 0
      ? []
      : [wireMessage(task, { ...task.request, role: Role.ROLE_USER })],
  metadata: undefined,
});

export const wireEvent = (event: PeerTaskEvent): StreamResponse => {
  if (event.kind === 'task') return { payload: { $case: 'task', value: wireTask(event.task) } };
  if (event.kind === 'status') {
    const { id: taskId, contextId } = event.task;
    const value = { taskId, contextId, status: wireStatus(event.task), metadata: undefined };
    return { payload: { $case: 'statusUpdate', value } };
  }
  const { taskId, contextId, isAppended: append, isLast: lastChunk } = event;
  const value = { taskId, contextId, artifact: wireArtifact(event.artifact), append, lastChunk, metadata: undefined };
  return { payload: { $case: 'artifactUpdate', value } };
};

export const peerPush = (
  { taskId, id, url, token, authentication }: TaskPushNotificationConfig,
  form: PeerPush['form'],
): PeerPush => ({
  taskId,
  id,
  url,
  token,
  scheme: authentication?.scheme ?? '',
  credentials: authentication?.credentials ?? '',
  form,
});

export const wirePush = ({ taskId, id, url, token, scheme, credentials }: PeerPush): TaskPushNotificationConfig => ({
  tenant: '',
  id,
  taskId,
  url,
  token,
  authentication: scheme === '' ? undefined : { scheme, credentials },
});

const interfaces = (url: string): AgentCard['supportedInterfaces'] =>
  ['1.0', '0.3'].flatMap((protocolVersion) => [
    { url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion },
    // Clients of 0.3 add the version themselves.
    { url: protocolVersion === '0.3' ? url : `${url}/v1`, protocolBinding: 'HTTP+JSON', tenant: '', protocolVersion },
  ]);

export const wireCard = (card: PeerCard): AgentCard => ({
  name: card.name,
  description: card.description,
  version: card.version,
  supportedInterfaces: interfaces(card.url),
  provider: undefined,
  capabilities: {
    streaming: card.isStreaming,
    pushNotifications: card.hasPushes,
    extendedAgentCard: card.hasExtendedCard,
    extensions: [],
  },
  securitySchemes: card.needsToken
    ? {
        bearer: {
          scheme: { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'bearer', bearerFormat: '' } },
        },
      }
    : {},
  securityRequirements: card.needsToken ? [{ schemes: { bearer: { list: [] } } }] : [],
  defaultInputModes: [...card.inputModes],
  defaultOutputModes: [...card.outputModes],
  skills: card.skills.map((skill) => ({
    ...skill,
    tags: [...skill.tags],
    examples: [...skill.examples],
    inputModes: [...skill.inputModes],
    outputModes: [...skill.outputModes],
    securityRequirements: [],
  })),
  signatures: [],
});
