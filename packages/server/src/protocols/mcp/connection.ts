import type {
  CallToolResult,
  Client,
  ElicitResult,
  InputRequiredResult,
  InputResponses,
} from '@modelcontextprotocol/client';
import {
  type McpCall,
  type McpConnection,
  McpFailure,
  type McpOutcome,
  type McpQuestion,
  type McpReply,
  type McpServerFacts,
  type McpSkill,
  type McpSkillFile,
  type McpSkillList,
  type McpTaskState,
  type McpTool,
} from './contract.ts';
import { failureOf } from './failures.ts';
import { elicitResult, questionOf } from './questions.ts';
import { resultOf } from './results.ts';
import type { SkillRequests } from './skill-requests.ts';
import { taskIn } from './task-handles.ts';
import { TaskRequests } from './task-requests.ts';

/** Longest time of the library for one request: the caller's signal ends it earlier. */
const LONGEST_MS = 605_000;
/** Tools of one server; further ones are left out. */
const TOOLS_MAX = 1_000;
/** How often a server may ask for more within one call. */
const ROUNDS_MAX = 20;

/** What of the library's client a connection uses. */
export type ConnectedClient = Pick<
  Client,
  | 'listTools'
  | 'callTool'
  | 'ping'
  | 'request'
  | 'getServerVersion'
  | 'getServerCapabilities'
  | 'getNegotiatedProtocolVersion'
  | 'getProtocolEra'
>;

interface OpenCall {
  readonly call: McpCall;
  readonly abort: AbortController;
  question?: McpQuestion;
}

/**
 * One negotiated connection. A question of the server is never answered by the library. In the stateless era it is the answer to the
 * call. In the older one it is a request of its own that does not say to which call it belongs: once a server has asked, its
 * connection makes one call at a time.
 */
export class OpenConnection implements McpConnection {
  readonly #client: ConnectedClient;
  readonly #end: () => Promise<void>;
  readonly #calls = new Set<OpenCall>();
  readonly #listeners = new Set<() => void>();
  readonly #skillListeners = new Set<() => void>();
  readonly #skills: SkillRequests;
  #asks = false;
  /** The end of the calls before, while calls go one by one. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #failure: McpFailure | undefined;
  isClosed = false;
  readonly server: McpServerFacts;
  readonly #tasks: TaskRequests;

  constructor(client: ConnectedClient, skills: SkillRequests, end: () => Promise<void>) {
    this.#client = client;
    this.#skills = skills;
    this.#end = end;
    this.#tasks = new TaskRequests(client);
    const { name = '', version = '' } = client.getServerVersion() ?? {};
    this.server = { name, version, protocol: client.getNegotiatedProtocolVersion() ?? '' };
  }

  async tools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const { tools } = await this.#ask(() =>
      this.#client.listTools(undefined, { signal, timeout: LONGEST_MS, cacheMode: 'refresh' }),
    );
    const hasTasks = this.#client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
    return tools.slice(0, TOOLS_MAX).map(({ name, title, description = '', inputSchema, annotations, execution }) => ({
      name,
      title: title ?? annotations?.title,
      description,
      inputSchema,
      isReadOnly: annotations?.readOnlyHint === true,
      isDestructive: annotations?.destructiveHint,
      isIdempotent: annotations?.idempotentHint,
      isOpenWorld: annotations?.openWorldHint,
      needsTask: hasTasks && execution?.taskSupport === 'required',
    }));
  }

  async call(call: McpCall): Promise<McpOutcome> {
    if (!this.#asks) return this.#call(call);
    const done = this.#turn.then(() => this.#call(call));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  task(id: string, signal: AbortSignal): Promise<McpTaskState> {
    return this.#ask(() => this.#tasks.state(id, signal));
  }

  answerTask(id: string, replies: Readonly<Record<string, McpReply>>, signal: AbortSignal): Promise<void> {
    return this.#ask(() => this.#tasks.answer(id, replies, signal));
  }

  cancelTask(id: string, signal: AbortSignal): Promise<void> {
    return this.#ask(() => this.#tasks.cancel(id, signal));
  }

  async ping(signal: AbortSignal): Promise<void> {
    if (this.#client.getProtocolEra() === 'modern') return;
    await this.#ask(() => this.#client.ping({ signal, timeout: LONGEST_MS }));
  }

  onToolsChanged(listen: () => void): void {
    this.#listeners.add(listen);
  }

  skills(signal: AbortSignal): Promise<McpSkillList> {
    return this.#ask(() => this.#skills.list(signal));
  }

  skillText(skill: McpSkill, signal: AbortSignal): Promise<string> {
    return this.#ask(() => this.#skills.read(skill, signal));
  }

  skillFile(skill: McpSkill, file: McpSkillFile, signal: AbortSignal): Promise<Uint8Array> {
    return this.#ask(() => this.#skills.readFile(skill, file, signal));
  }

  onSkillsChanged(listen: () => void): void {
    this.#skillListeners.add(listen);
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** The server says that its list of tools changed. */
  toolsChanged(): void {
    for (const listen of this.#listeners) listen();
  }

  /** The server says that its resources changed. */
  resourcesChanged(): void {
    for (const listen of this.#skillListeners) listen();
  }

  /** The transport ended by itself. */
  lost(): void {
    this.isClosed = true;
  }

  /** Of no use any more; calls that are open fail for this reason. */
  fail(failure: McpFailure): void {
    this.#failure = failure;
    void this.close();
  }

  /** A question of a server of the older era. */
  elicited(question: McpQuestion): ElicitResult {
    this.#asks = true;
    const [open, ...others] = [...this.#calls];
    if (open === undefined || others.length > 0) return { action: 'cancel' };
    const reply = open.call.reply(question);
    if (reply !== undefined) return elicitResult(reply);
    open.question = question;
    open.abort.abort(new McpFailure('lost', 'the call waits for a person'));
    return { action: 'cancel' };
  }

  async #call(call: McpCall): Promise<McpOutcome> {
    const open: OpenCall = { call, abort: new AbortController() };
    this.#calls.add(open);
    try {
      return await this.#rounds(open);
    } catch (error) {
      if (open.question !== undefined) return { question: open.question };
      throw error;
    } finally {
      this.#calls.delete(open);
    }
  }

  /** Calls until the server has all it asks for; what it asks again is answered at once. */
  async #rounds({ call, abort }: OpenCall): Promise<McpOutcome> {
    let more: { readonly inputResponses?: InputResponses; readonly requestState?: string } = {};
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const answer = await this.#request(call, abort.signal, more);
      if (!isInputRequired(answer)) {
        const task = taskIn(answer);
        return task === undefined ? { result: resultOf(answer) } : { task };
      }
      const { inputResponses, question } = repliesTo(answer, call);
      if (question !== undefined) return { question };
      more = { inputResponses, ...(answer.requestState === undefined ? {} : { requestState: answer.requestState }) };
    }
    throw new McpFailure('malformed', `the server asked for input more than ${ROUNDS_MAX} times`);
  }

  #request(call: McpCall, signal: AbortSignal, more: object): Promise<CallToolResult | InputRequiredResult> {
    const { traceparent, tracestate } = call.meta;
    const headers = {
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(tracestate === undefined ? {} : { tracestate }),
    };
    return this.#ask(() =>
      this.#client.callTool(
        {
          name: call.tool,
          arguments: { ...call.input },
          _meta: { ...call.meta },
          ...(call.asTask === true ? { task: {} } : {}),
          ...more,
        },
        {
          signal: AbortSignal.any([call.signal, signal]),
          timeout: LONGEST_MS,
          onprogress: () => call.progress(),
          allowInputRequired: true,
          headers,
        },
      ),
    );
  }

  async #ask<T>(request: () => Promise<T>): Promise<T> {
    if (this.isClosed) throw new McpFailure('lost', 'the connection to the server ended');
    try {
      return await request();
    } catch (error) {
      throw this.#failure ?? failureOf(error);
    }
  }
}

const isInputRequired = (answer: CallToolResult | InputRequiredResult): answer is InputRequiredResult =>
  'resultType' in answer && answer.resultType === 'input_required';

/** What is known of what the server asks, or the first question that is open. */
const repliesTo = (
  { inputRequests = {} }: InputRequiredResult,
  call: McpCall,
): { readonly inputResponses: InputResponses; readonly question?: McpQuestion } => {
  const inputResponses: InputResponses = {};
  for (const [id, request] of Object.entries(inputRequests)) {
    if (request.method !== 'elicitation/create')
      throw new McpFailure('malformed', 'the server asked for something that was not offered to it');
    const question = questionOf(request.params);
    const reply = call.reply(question);
    if (reply === undefined) return { inputResponses, question };
    inputResponses[id] = elicitResult(reply);
  }
  return { inputResponses };
};
