import { setImmediate } from 'node:timers/promises';
import type { NewSessionRequest } from '@agentclientprotocol/sdk/unstable';
import { isFault, isRecord } from '../../base/index.ts';
import { AgentStream } from './agent-stream.ts';
import {
  type AgentConnection,
  AgentFailure,
  type AgentPipe,
  type AgentRequests,
  type AgentUpdate,
  type AgentUsage,
  type ConnectAgent,
  type PromptEnd,
  type SessionSetup,
} from './contract.ts';
import { agentUpdate, permissionQuestion } from './update-forms.ts';

type Library = typeof import('@agentclientprotocol/sdk/unstable');
type ClientConnection = ReturnType<ReturnType<Library['client']>['connect']>;

/** Updates that wait to be handled before no more are read. */
const QUEUE_MAX = 256;
/** JSON-RPC and ACP: what is asked for is not there. */
const NOT_FOUND_CODES: ReadonlySet<number> = new Set([-32002, -32602, -32603]);

/** Handles updates one after the other, in the order in which they came. */
class UpdateQueue {
  readonly #handle: (update: AgentUpdate) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #roomWanted: (() => void) | undefined;
  /** A loaded session tells its history first: that belongs to no prompt. */
  isListening = false;

  constructor(handle: (update: AgentUpdate) => Promise<void>, failed: (error: unknown) => void) {
    this.#handle = handle;
    this.#failed = failed;
  }

  add(update: AgentUpdate | undefined): void {
    if (update === undefined || !this.isListening) return;
    this.#waiting += 1;
    this.#tail = this.#tail
      .then(() => this.#handle(update))
      .catch(this.#failed)
      .then(() => {
        this.#waiting -= 1;
        this.#roomWanted?.();
      });
  }

  /** Resolves once fewer than the most wait. */
  async room(): Promise<void> {
    while (this.#waiting >= QUEUE_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#roomWanted = resolve;
      await promise;
      this.#roomWanted = undefined;
    }
  }

  /** Resolves when all that came is handled. */
  drained(): Promise<void> {
    return this.#tail;
  }
}

/** Connects to an agent over its pipe and initializes it. The library is loaded with the first agent. */
export const connectAgent: ConnectAgent = async (pipe, requests) => {
  const library = await import('@agentclientprotocol/sdk/unstable');
  const opened = new Connected(library, pipe, requests);
  await opened.initialize();
  return opened;
};

class Connected implements AgentConnection {
  readonly #library: Library;
  readonly #connection: ClientConnection;
  readonly #updates: UpdateQueue;
  #failure: unknown;
  canLoad = false;
  signIns: readonly string[] = [];

  constructor(library: Library, pipe: AgentPipe, requests: AgentRequests) {
    this.#library = library;
    this.#updates = new UpdateQueue(
      (update) => requests.update(update),
      (error) => {
        this.#failure ??= error;
        this.close();
      },
    );
    const { stream } = new AgentStream(pipe, () => this.#updates.room());
    this.#connection = clientApp(library, requests, this.#updates).connect(stream);
  }

  async initialize(): Promise<void> {
    const { methods, PROTOCOL_VERSION } = this.#library;
    const answer = await this.#ask(() =>
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        clientInfo: { name: 'svc', version: '1' },
      }),
    );
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      this.close();
      throw new AgentFailure('protocol', `the agent speaks version ${answer.protocolVersion} of the protocol`);
    }
    this.canLoad = answer.agentCapabilities?.loadSession === true;
    this.signIns = (answer.authMethods ?? []).map(({ id }) => id);
  }

  async signIn(id: string): Promise<void> {
    await this.#ask(() => this.#connection.agent.request(this.#library.methods.agent.authenticate, { methodId: id }));
  }

  async load(sessionId: string, setup: SessionSetup): Promise<boolean> {
    const { methods, RequestError } = this.#library;
    try {
      await this.#ask(() =>
        this.#connection.agent.request(methods.agent.session.load, { sessionId, ...sessionRequest(setup) }),
      );
      return true;
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown };
      if (cause instanceof RequestError && NOT_FOUND_CODES.has(cause.code)) return false;
      throw error;
    }
  }

  async create(setup: SessionSetup): Promise<string> {
    const { methods } = this.#library;
    const made = await this.#ask(() =>
      this.#connection.agent.request(methods.agent.session.new, sessionRequest(setup)),
    );
    return made.sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<PromptEnd> {
    const { methods } = this.#library;
    this.#updates.isListening = true;
    const { stopReason, usage } = await this.#ask(() =>
      this.#connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    );
    await this.drained();
    if (this.#failure !== undefined) throw this.#failure;
    return { reason: stopReason, usage: usageOf(usage) };
  }

  async drained(): Promise<void> {
    // What came before is on its way through the library.
    await setImmediate();
    await this.#updates.drained();
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent
      .notify(this.#library.methods.agent.session.cancel, { sessionId })
      .catch(() => undefined);
  }

  close(): void {
    this.#connection.close();
  }

  /** One request; what went wrong with it as an AgentFailure, or as what a handler of ours threw. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#failure !== undefined) throw this.#failure;
      if (error instanceof AgentFailure) throw error;
      if (error instanceof this.#library.RequestError && !this.#connection.signal.aborted)
        throw new AgentFailure('refused', `the agent refused: ${error.message}`, { cause: error });
      const reason: unknown = this.#connection.signal.reason;
      if (reason instanceof AgentFailure) throw reason;
      throw new AgentFailure('gone', 'the agent ended', { cause: error });
    }
  }
}

const sessionRequest = ({ cwd, servers }: SessionSetup): NewSessionRequest => ({
  cwd,
  mcpServers: servers.map(({ name, command, args }) => ({ name, command, args: [...args], env: [] })),
});

const usageOf = (said: unknown): AgentUsage | undefined => {
  if (!isRecord(said)) return undefined;
  const count = (key: string): number => {
    const value = Number(said[key] ?? 0);
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  const [inputTokens, outputTokens] = [count('inputTokens'), count('outputTokens')];
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: count('thoughtTokens'),
    cachedTokens: count('cachedReadTokens'),
    cacheWriteTokens: count('cachedWriteTokens'),
    totalTokens: Math.max(count('totalTokens'), inputTokens + outputTokens),
  };
};

/** The client's handlers; the agent learns the message of a Fault, and of anything else that it is an internal error. */
const clientApp = (library: Library, requests: AgentRequests, updates: UpdateQueue) => {
  const { client, methods, RequestError } = library;
  const told = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (isFault(error)) throw new RequestError(error.code === 'NOT_FOUND' ? -32002 : -32603, error.message);
      throw RequestError.internalError();
    }
  };
  const asGiven = (params: unknown): unknown => params;
  const { session, fs, terminal } = methods.client;
  return client({ name: 'svc' })
    .onNotification(session.update, asGiven, ({ params }) =>
      updates.add(agentUpdate(isRecord(params) ? params['update'] : undefined)),
    )
    .onRequest(session.requestPermission, asGiven, async ({ params, signal }) => {
      const question = permissionQuestion(params);
      if (question === undefined) throw RequestError.invalidParams();
      // What led to the question is shown before it.
      await updates.drained();
      const optionId = await told(() => requests.permission(question, signal));
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(fs.readTextFile, async ({ params: { path, line, limit } }) => ({
      content: await told(() => requests.readFile({ path, line: line ?? 1, limit: limit ?? Number.POSITIVE_INFINITY })),
    }))
    .onRequest(fs.writeTextFile, async ({ params: { path, content } }) => {
      await told(() => requests.writeFile(path, content));
      return {};
    })
    .onRequest(terminal.create, async ({ params }) => {
      const env = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
      const { command, args = [], cwd, outputByteLimit } = params;
      const request = { command, args, cwd: cwd ?? '', env, outputBytes: outputByteLimit ?? undefined };
      return { terminalId: await told(() => requests.createTerminal(request)) };
    })
    .onRequest(terminal.output, ({ params }) =>
      told(() => {
        const { output, isCut, exit } = requests.terminalOutput(params.terminalId);
        return { output, truncated: isCut, ...(exit === undefined ? {} : { exitStatus: exitStatus(exit) }) };
      }),
    )
    .onRequest(terminal.waitForExit, ({ params }) =>
      told(async () => exitStatus(await requests.terminalExit(params.terminalId))),
    )
    .onRequest(terminal.kill, async ({ params }) => {
      await told(() => requests.killTerminal(params.terminalId));
      return {};
    })
    .onRequest(terminal.release, async ({ params }) => {
      await told(() => requests.releaseTerminal(params.terminalId));
      return {};
    });
};

const exitStatus = ({ exitCode }: { readonly exitCode: number | undefined }) => ({ exitCode: exitCode ?? null });
