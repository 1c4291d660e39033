/** The client's side of the Agent Client Protocol, for the feature that starts coding agents: plain types, no library. */

/** Bytes to and from the process of an agent. */
export interface AgentPipe {
  readonly output: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
}

/** How an agent is started. */
export interface AgentProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The agent that the server brings itself; its program is written into the sandbox. */
export const DEMO_AGENT_NAME = 'demo';
export const DEMO_AGENT_PATH = '/tmp/svc-demo-agent.mjs';

const program = (command: string, ...args: readonly string[]): AgentProgram => ({ command, args, env: {} });

/** Agents that are known by name. All but the demo agent have to be installed in the sandbox, by its setup or its image. */
export const KNOWN_AGENTS: Readonly<Record<string, AgentProgram>> = {
  'claude-code': program('claude-code-acp'),
  codex: program('codex-acp'),
  [DEMO_AGENT_NAME]: program('node', DEMO_AGENT_PATH),
  gemini: program('gemini', '--experimental-acp'),
  goose: program('goose', 'acp'),
  opencode: program('opencode', 'acp'),
};

/** What an agent says about one of its tool calls; fields that it did not mention are absent. */
export interface ToolUpdate {
  readonly kind: 'tool';
  readonly callId: string;
  readonly name?: string;
  readonly title?: string;
  /** read, edit, delete, move, search, execute, think, fetch, switch_mode, other. */
  readonly toolKind?: string;
  /** pending, in_progress, completed, failed. */
  readonly status?: string;
  readonly input?: unknown;
  readonly output?: string;
}

/** One piece of what an agent does during a prompt. */
export type AgentUpdate =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  /** Tokens that are in the agent's context. */
  | { readonly kind: 'context'; readonly usedTokens: number }
  | ToolUpdate;

/** What an agent may be answered to a question. */
export interface PermissionChoice {
  readonly id: string;
  readonly name: string;
  /** allow_once, allow_always, reject_once, reject_always. */
  readonly kind: string;
}

export interface PermissionQuestion {
  readonly tool: ToolUpdate;
  readonly choices: readonly PermissionChoice[];
}

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** '' = the folder of the session. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly outputBytes: number | undefined;
}

interface TerminalExit {
  readonly exitCode: number | undefined;
}

/** What an agent asks of its client. Each may throw a Fault, whose message the agent learns. */
export interface AgentRequests {
  /** One update of the prompt under way; the next one comes when it resolves. */
  update(update: AgentUpdate): Promise<void>;
  /** Id of the choice, undefined for none. */
  permission(question: PermissionQuestion, signal: AbortSignal): Promise<string | undefined>;
  readFile(file: { readonly path: string; readonly line: number; readonly limit: number }): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  createTerminal(request: TerminalRequest): Promise<string>;
  terminalOutput(id: string): { readonly output: string; readonly isCut: boolean; readonly exit?: TerminalExit };
  terminalExit(id: string): Promise<TerminalExit>;
  killTerminal(id: string): void;
  releaseTerminal(id: string): void;
}

/** A server of tools that the agent starts by itself. */
export interface OfferedServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface SessionSetup {
  /** Absolute. */
  readonly cwd: string;
  readonly servers: readonly OfferedServer[];
}

/** Tokens that an agent counted for a prompt. */
export interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
}

export interface PromptEnd {
  /** end_turn, max_tokens, max_turn_requests, refusal, cancelled. */
  readonly reason: string;
  readonly usage: AgentUsage | undefined;
}

/**
 * An agent that was initialized. Every function rejects with an AgentFailure when the agent refuses, says what no one can
 * understand, or is gone; what it does meanwhile costs its own connection only.
 */
export interface AgentConnection {
  /** Its sessions outlive the connection. */
  readonly canLoad: boolean;
  /** Ways to sign in that it offers, by their ids. */
  readonly signIns: readonly string[];
  signIn(id: string): Promise<void>;
  /** False when it does not know the session. */
  load(sessionId: string, setup: SessionSetup): Promise<boolean>;
  create(setup: SessionSetup): Promise<string>;
  /** Resolves behind the last update. */
  prompt(sessionId: string, text: string): Promise<PromptEnd>;
  /** Resolves when the updates that came so far are handled. */
  drained(): Promise<void>;
  /** Asks it to end the prompt under way. */
  cancel(sessionId: string): Promise<void>;
  close(): void;
}

/** Connects and initializes; rejects as the functions of the connection do. */
export type ConnectAgent = (pipe: AgentPipe, requests: AgentRequests) => Promise<AgentConnection>;

/** Why an agent cannot be used further: `gone`, it `refused` a request, or it exceeded a limit or broke the `protocol`. */
export class AgentFailure extends Error {
  readonly kind: 'gone' | 'refused' | 'protocol';

  constructor(kind: AgentFailure['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
