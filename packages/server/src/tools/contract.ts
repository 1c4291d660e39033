/** Tool contract: what a tool declares and what it receives. A tool never sees the store or the transport. */
export { modelNames, possibleNames, type RemoteName, serverPrefix, signInName } from './remote-name-rules.ts';

export type ToolEffect = 'read' | 'write' | 'external';

/** Codes of a failed result. */
export type ToolErrorCode = 'unknown_tool' | 'invalid_arguments' | 'denied' | 'timeout' | 'unavailable' | 'failed';

/** A turn that led to another one. */
export interface CausingTurn {
  readonly namespace: string;
  readonly agent: string;
  readonly turnId: string;
}

/** `own`: the agent's namespace; `descendants`: the namespaces below it too. */
export type NamespaceReach = 'own' | 'descendants';

export interface ToolContext {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** The same for every run of this call. */
  readonly idempotencyKey: string;
  readonly identity: string;
  /** Turns that led to this one, the first cause first; empty for a turn from outside. */
  readonly lineage: readonly CausingTurn[];
  /** How far the grant of the tool reaches: the agent's own namespace, or its descendants as well. */
  readonly reach: NamespaceReach;
  /** Those narrower actions of the tool's capability that are granted; absent where it declares none. */
  readonly narrower?: readonly string[];
  readonly signal: AbortSignal;
  /** Says that the call is getting on: its time-out begins again, up to the longest that any tool may take. */
  readonly progress: () => void;
  /** What people answered to the questions of this call so far, in the order in which it asked. */
  readonly answers: readonly ToolAnswer[];
  /** The event this call last waited for; absent until it waits for one, and again once it has asked a person. */
  readonly waited?: ToolPause;
  /** Micros since the epoch, from the turn's injected clock. */
  readonly nowMicros: number;
  /** W3C trace headers for servers that the tool calls. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
}

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly mediaType: string; readonly filename: string; readonly bytes: Uint8Array };

export interface ToolResult {
  readonly content: readonly ToolContent[];
  /** JSON value for programs; becomes payload `output` when present. */
  readonly structured?: unknown;
  readonly isError: boolean;
}

/** What a call asks a person before it can finish. */
export interface ToolQuestion {
  /** Names the question within its call, so that the call finds the answer when it runs again. */
  readonly key: string;
  /** `input`: data by `schema`; `sign_in`: the person opens `url`, and the sign-in itself answers. */
  readonly kind: 'input' | 'sign_in';
  /** Shown to the person. */
  readonly prompt: string;
  /** JSON Schema of the answer; absent: any JSON value. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

/** A person's answer to a question of the call; `declined` also when time ran out. */
export interface ToolAnswer {
  readonly key: string;
  readonly kind: ToolQuestion['kind'];
  readonly decision: 'accepted' | 'declined';
  /** The data of an accepted `input`. */
  readonly value?: unknown;
  readonly decidedBy: string;
  readonly comment: string;
}

/** A wait of the call for something other than a person. */
export interface ToolPause {
  readonly key: string;
  /** Unix micros: when it began to wait, and the latest it was willing to. */
  readonly sinceMicros: number;
  readonly untilMicros: number;
  /** What ended it: the event, a message that steers the turn, or nothing yet (time, a crash). */
  readonly endedBy: '' | 'event' | 'steering';
}

/**
 * The call cannot finish yet. The turn waits without a worker, then the call runs again from its beginning, with the same id and
 * idempotency key, and finds the answer or the pause in its context. The part that sees the event wakes the turn by `key`.
 */
export type ToolWait =
  | { readonly wait: 'person'; readonly question: ToolQuestion }
  | { readonly wait: 'event'; readonly key: string; readonly untilMicros: number };

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 object schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: ToolEffect;
  /** It works on the conversation of its turn, so that no one can call it outside of one. */
  readonly needsTurn?: true;
  /** Milliseconds; absent = runtime.toolTimeout. */
  readonly timeoutMs?: number;
  /** Capability and action that must grant it; absent = always offered. */
  readonly capability?: ToolCapability;
  /** May throw: the runtime turns that into a `failed` result. Runs at least once per call id. */
  run(context: ToolContext, input: Readonly<Record<string, unknown>>): Promise<ToolResult | ToolWait>;
}

/** What must grant a tool. */
export interface ToolCapability {
  readonly name: string;
  readonly action: string;
  /**
   * Granted without an entry: `unless-listed` while the agent lists nothing under the capability, not even an empty list; `always`,
   * where entries only set the approval.
   */
  readonly granted?: 'unless-listed' | 'always';
  /**
   * Actions that each allow a part of action `of`, such as `create:new` of `create`. The context of a call says which are granted. Where
   * `of` is the action of the tool, one of them is enough for the tool to be offered.
   */
  readonly narrower?: { readonly of: string; readonly actions: readonly string[] };
}

/** `approval` of a capability entry; absent means allow. */
export type ApprovalMode = 'allow' | 'ask' | 'deny';

export interface OfferedTool {
  readonly tool: Tool;
  readonly approval: ApprovalMode;
  readonly reach: NamespaceReach;
  /** Those narrower actions of its capability that are granted; absent where it declares none. */
  readonly narrower?: readonly string[];
}

/**
 * Why an agent is not offered a tool: nothing grants it, an entry denies it, the configuration denies it everywhere, its toolset is not among
 * the features, or what it works on is not there.
 */
export type WithheldReason = 'NotGranted' | 'Denied' | 'SwitchedOff' | 'FeatureMissing' | 'Unavailable';

/** A tool that an agent is not offered. */
export interface WithheldTool {
  readonly name: string;
  readonly reason: WithheldReason;
  /** For people. */
  readonly message: string;
}

/** Every tool that there is for a turn, sorted by name. */
export interface JudgedTools {
  readonly offered: readonly OfferedTool[];
  readonly withheld: readonly WithheldTool[];
}

/** What an agent's spec grants, plain data (AgentSpec.capabilities and features). */
export interface ToolGrants {
  readonly namespace: string;
  readonly agent: string;
  readonly capabilities: Readonly<Record<string, readonly unknown[]>>;
  readonly features: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  /** AgentSpec.mcp_server_refs. */
  readonly mcpServers: readonly string[];
  /** AgentSpec.a2a.connections. */
  readonly connections: readonly ConnectionGrant[];
}

/** Another agent that an agent may delegate to; the fields of AgentSpec.a2a.connections. */
export interface ConnectionGrant {
  readonly name: string;
  readonly description: string;
  readonly target?:
    | {
        readonly internal?: { readonly namespace: string; readonly agent: string } | undefined;
        readonly external?: { readonly agentCardUrl: string } | undefined;
      }
    | undefined;
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxDepth: number;
  readonly auth?: { readonly kind: string; readonly secretRef: string } | undefined;
}

/** The turn for which tools are listed. */
export interface ToolTurn {
  /** The same object for all turns of one agent revision. */
  readonly grants: ToolGrants;
  readonly sessionId: string;
  readonly sessionLabels: Readonly<Record<string, string>>;
  readonly turnId: string;
  readonly identity: string;
  readonly lineage: readonly CausingTurn[];
  /**
   * Names of calls that the model asked for and that have no result yet. They were offered before, perhaps by a process that is gone: a source
   * may take longer to list these than for a model that is yet to be asked.
   */
  readonly openCalls: readonly string[];
  /** Stop, loss of the claim, time-out. */
  readonly signal: AbortSignal;
}

/** Tools that depend on more than the agent's grants: on servers, documents, the session. Listed again at every step. */
export interface ToolSource {
  /** For logs. */
  readonly name: string;
  /** Toolsets that exist because of this source (names of features of type `toolset`). */
  readonly toolsets?: readonly string[];
  /** Names it offers to some: a call of one that is not offered to this turn is denied, not unknown. */
  readonly names?: readonly string[];
  /** Whether an agent with these grants may have tools of it at all; cheap, asked once per agent revision. */
  concerns(grants: ToolGrants): boolean;
  /** May throw: the turn then continues without them, and the log says so. A tool of the process wins over one of the same name. */
  tools(turn: ToolTurn): Promise<readonly Tool[]>;
}

/** What one part of the product brings for models to call. */
export interface ToolSupply {
  readonly tools?: readonly Tool[];
  readonly toolSources?: readonly ToolSource[];
}

export interface ToolRegistry {
  /** Adds tools before the first turn runs; throws a Fault for a bad or duplicate name, which stops the start. */
  add(supply: ToolSupply): void;
  /** Tools of this turn, sorted by name; denied ones are absent. */
  offered(turn: ToolTurn): Promise<readonly OfferedTool[]>;
  /** The same, with the tools that the turn is not offered: of this process, and of the sources that were asked. */
  judged(turn: ToolTurn): Promise<JudgedTools>;
  /** True for every tool of this process, offered or not: such a call is denied, any other is unknown. */
  exists(name: string): boolean;
  /** All violations of the tool's schema, empty when valid. */
  validate(tool: Tool, input: unknown): readonly string[];
  /** The same for any JSON Schema. */
  check(schema: Readonly<Record<string, unknown>>, value: unknown): readonly string[];
  /** Whether the process has a backend for a feature of type `toolset`. */
  hasToolset(name: string): boolean;
}

/** A result whose text the model reads; `structured` says the same as data. */
export const textResult = (text: string, structured?: unknown): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: false,
  ...(structured === undefined ? {} : { structured }),
});

/** {"ok":false,...}, which the model reads; messages hold no stack traces, secrets or internal addresses. */
export const errorResult = (
  ...[tool, code, error, retryable = false]: readonly [
    tool: string,
    code: ToolErrorCode,
    error: string,
    retryable?: boolean,
  ]
): ToolResult => {
  const structured = { ok: false, tool, code, error, retryable };
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structured, isError: true };
};
