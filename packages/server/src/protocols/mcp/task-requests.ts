import type { CallToolResult, Client, Request } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/index.ts';
import { McpFailure, type McpReply, type McpTaskQuestion, type McpTaskState } from './contract.ts';
import { failureOf } from './failures.ts';
import { elicitResult, questionOf } from './questions.ts';
import { resultOf } from './results.ts';
import { taskOf } from './task-handles.ts';

export type TaskClient = Pick<Client, 'request' | 'getProtocolEra'>;

/** Time for one request about a task. */
const REQUEST_MS = 30_000;
/** Questions of one task at a time. */
const QUESTIONS_MAX = 20;
/** Longest name that a server gives a question. */
const NAME_MAX = 200;
/** Longest reason of a failed task. */
const REASON_MAX = 500;

/** The library knows the requests of tasks by name only: what is answered is judged here. */
const ANY = {
  '~standard': { version: 1, vendor: 'svc', validate: (value: unknown) => ({ value }) },
} as const;

/** Requests about the tasks of one server, in the words of the era that it speaks. */
export class TaskRequests {
  readonly #client: TaskClient;

  constructor(client: TaskClient) {
    this.#client = client;
  }

  /** What became of a task. Rejects with McpFailure; `rejected` where the server does not know it. */
  async state(taskId: string, signal: AbortSignal): Promise<McpTaskState> {
    const answer = await this.#request({ method: 'tasks/get', params: { taskId } }, signal);
    const { status, statusMessage } = answer;
    const reason = typeof statusMessage === 'string' ? statusMessage.slice(0, REASON_MAX).toWellFormed() : '';
    switch (status) {
      case 'working':
        return { status, task: taskOf(answer) };
      case 'input_required':
        return { status, task: taskOf(answer), questions: this.#isNewer ? questionsOf(answer) : [] };
      case 'cancelled':
        return { status, reason };
      case 'completed':
      case 'failed':
        return this.#isNewer
          ? endOf(answer, { status, reason })
          : { status: 'completed', result: await this.#result(taskId, signal) };
      default:
        throw new McpFailure('malformed', 'the server said nothing that a task can be');
    }
  }

  /** Answers questions of a task by their names; what was answered already the server ignores. */
  async answer(taskId: string, replies: Readonly<Record<string, McpReply>>, signal: AbortSignal): Promise<void> {
    const inputResponses = Object.fromEntries(Object.entries(replies).map(([id, reply]) => [id, elicitResult(reply)]));
    await this.#request({ method: 'tasks/update', params: { taskId, inputResponses } }, signal);
  }

  async cancel(taskId: string, signal: AbortSignal): Promise<void> {
    await this.#request({ method: 'tasks/cancel', params: { taskId } }, signal);
  }

  get #isNewer(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  /** In the older era the result is asked for by itself; for a task that has ended it is there at once. */
  async #result(taskId: string, signal: AbortSignal): Promise<ReturnType<typeof resultOf>> {
    return callResult(await this.#request({ method: 'tasks/result', params: { taskId } }, signal));
  }

  async #request(request: Request, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    try {
      const answer = await this.#client.request(request, ANY, { signal, timeout: REQUEST_MS });
      return isRecord(answer) ? answer : {};
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'malformed') throw failure;
      throw new McpFailure('rejected', 'the server does not know the task', { cause: error });
    }
  }
}

const endOf = (
  answer: Readonly<Record<string, unknown>>,
  { status, reason }: { readonly status: 'completed' | 'failed'; readonly reason: string },
): McpTaskState => (status === 'failed' ? { status, reason } : { status, result: callResult(answer['result']) });

/** The result of a call that a server put into a task. */
const callResult = (result: unknown): ReturnType<typeof resultOf> => {
  const content = isRecord(result) ? (result['content'] ?? []) : undefined;
  if (!(isRecord(result) && Array.isArray(content) && content.every(isBlock)))
    throw new McpFailure('malformed', 'the task has a result that is not one of a tool');
  return resultOf({ ...result, content } as CallToolResult);
};

/** What is read of a block is there, and is text. */
const isBlock = (block: unknown): boolean => {
  if (!isRecord(block)) return false;
  const { type, text, data, resource, uri, name } = block;
  if (type === 'text') return typeof text === 'string';
  if (type === 'image' || type === 'audio') return typeof data === 'string';
  if (type === 'resource_link') return typeof uri === 'string' && typeof name === 'string';
  if (type !== 'resource') return true;
  return isRecord(resource) && typeof resource['uri'] === 'string' && isText(resource['text'] ?? resource['blob']);
};

const isText = (value: unknown): boolean => typeof value === 'string';

const questionsOf = ({ inputRequests }: Readonly<Record<string, unknown>>): readonly McpTaskQuestion[] =>
  Object.entries(isRecord(inputRequests) ? inputRequests : {})
    .slice(0, QUESTIONS_MAX)
    .map(([id, request]) => {
      const { method, params } = isRecord(request) ? request : {};
      if (method !== 'elicitation/create' || !isRecord(params) || id.length > NAME_MAX)
        throw new McpFailure('malformed', 'the server asked for something that was not offered to it');
      return { id, question: questionOf(params) };
    });
