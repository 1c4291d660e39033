import type {
  AgentCard,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { type Fault, isFault } from '../../base/index.ts';
import type { PeerAgent, PeerMessage, PeerPush, PeerPushes, PeerRequest, PeerTaskEvent } from './contract.ts';
import { isLegacy } from './rest-rules.ts';
import { peerMessage, peerPush, wireCard, wireEvent, wirePush, wireTask } from './wire-forms.ts';

const MAX_PAGE = 100;

interface TaskName {
  readonly taskId: string;
  readonly id: string;
}

const requireMessage = ({ message }: SendMessageRequest): PeerMessage => {
  if (message === undefined) throw new RequestMalformedError('message: is required');
  if (message.messageId.trim() === '') throw new RequestMalformedError('message.messageId: is required');
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts: must not be empty');
  return peerMessage(message);
};

/** 0 or absent = as many as a page may have. */
const requirePageSize = (asked = 0): number => {
  if (!Number.isSafeInteger(asked) || asked < 0)
    throw new RequestMalformedError(`pageSize: must be a whole number from 1 to ${MAX_PAGE}`);
  return Math.min(asked === 0 ? MAX_PAGE : asked, MAX_PAGE);
};

/** The error of the protocol for a fault; undefined where it has none. */
const wireError = (fault: Fault): A2AError | undefined => {
  if (fault.code === 'NOT_FOUND') return new TaskNotFoundError(fault.message);
  if (fault.code === 'INVALID_ARGUMENT') return new RequestMalformedError(fault.message);
  if (fault.code === 'FAILED_PRECONDITION') return new UnsupportedOperationError(fault.message);
  return undefined;
};

/** An agent as the library calls it. Keeps what the agent threw, since the library answers with an error of its own. */
export class AgentHandler implements A2ARequestHandler {
  readonly #agent: PeerAgent;
  readonly #form: PeerPush['form'];
  /** What the agent threw. */
  thrown: unknown;
  /** Whether the protocol has an error for what the agent threw. */
  isOfProtocol = true;

  constructor({ agent, version }: PeerRequest) {
    this.#agent = agent;
    this.#form = isLegacy(version) ? 'legacy' : 'modern';
  }

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(wireCard(this.#agent.card()));
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    if (!this.#agent.card().hasExtendedCard) throw new ExtendedAgentCardNotConfiguredError();
    return wireCard(this.#agent.extendedCard());
  }

  sendMessage(request: SendMessageRequest): Promise<Message | Task> {
    return this.#told(async () => {
      const { configuration } = request;
      const isImmediate = configuration?.returnImmediately === true;
      const task = await this.#agent.send(requireMessage(request), { isImmediate, ...this.#pushOf(request) });
      return wireTask(task, configuration?.historyLength);
    });
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { message, push } = await this.#told(async () => ({
      message: requireMessage(request),
      ...this.#pushOf(request),
    }));
    yield* this.#events(this.#agent.stream(message, push));
  }

  getTask({ id, historyLength }: { readonly id: string; readonly historyLength?: number | undefined }): Promise<Task> {
    return this.#told(async () => wireTask(await this.#agent.task(id), historyLength));
  }

  cancelTask({ id }: { readonly id: string }): Promise<Task> {
    return this.#told(async () => wireTask(await this.#agent.cancel(id)));
  }

  async *resubscribe({ id }: { readonly id: string }): AsyncGenerator<StreamResponse, void, undefined> {
    yield* this.#events(this.#agent.follow(id));
  }

  listTasks({
    contextId,
    pageSize,
    pageToken,
    historyLength,
  }: Parameters<A2ARequestHandler['listTasks']>[0]): ReturnType<A2ARequestHandler['listTasks']> {
    return this.#told(async () => {
      const size = requirePageSize(pageSize);
      const { tasks, nextPageToken } = await this.#agent.tasks({ contextId, pageSize: size, pageToken });
      const shown = tasks.map((task) => wireTask(task, historyLength ?? 0));
      return { tasks: shown, nextPageToken, pageSize: size, totalSize: shown.length };
    });
  }

  createTaskPushNotificationConfig(config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#told(async () => wirePush(await this.#pushes().set(peerPush(config, this.#form))));
  }

  getTaskPushNotificationConfig({ taskId, id }: TaskName): Promise<TaskPushNotificationConfig> {
    return this.#told(async () => wirePush(await this.#pushes().get(taskId, id)));
  }

  listTaskPushNotificationConfigs({
    taskId,
  }: Pick<TaskName, 'taskId'>): ReturnType<A2ARequestHandler['listTaskPushNotificationConfigs']> {
    return this.#told(async () => {
      const found = await this.#pushes().list(taskId);
      return { configs: found.map(wirePush), nextPageToken: '' };
    });
  }

  deleteTaskPushNotificationConfig({ taskId, id }: TaskName): Promise<void> {
    return this.#told(() => this.#pushes().remove(taskId, id));
  }

  #pushes(): PeerPushes {
    if (!this.#agent.card().hasPushes) throw new PushNotificationNotSupportedError();
    return this.#agent.pushes;
  }

  /** Where the states of the task are sent that a message begins or continues. */
  #pushOf({ configuration }: SendMessageRequest): { readonly push?: PeerPush } {
    const config = configuration?.taskPushNotificationConfig;
    if (config === undefined) return {};
    if (!this.#agent.card().hasPushes) throw new PushNotificationNotSupportedError();
    return { push: peerPush(config, this.#form) };
  }

  async *#events(events: AsyncGenerator<PeerTaskEvent, void, undefined>) {
    try {
      for await (const event of events) yield wireEvent(event);
    } catch (error) {
      throw this.#noted(error);
    }
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    if (error instanceof A2AError) return error;
    const known = isFault(error) ? wireError(error) : undefined;
    this.thrown = error;
    this.isOfProtocol = known !== undefined;
    return known ?? error;
  }
}
