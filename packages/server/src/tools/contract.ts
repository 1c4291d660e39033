/** Tool contract: what a tool declares and what it receives. A tool never sees the store or the transport. */

export type ToolEffect = 'read' | 'write' | 'external';

/** Codes of a failed result. */
export type ToolErrorCode = 'unknown_tool' | 'invalid_arguments' | 'denied' | 'timeout' | 'unavailable' | 'failed';

export interface ToolContext {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** The same for every run of this call. */
  readonly idempotencyKey: string;
  readonly identity: string;
  readonly signal: AbortSignal;
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

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 object schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: ToolEffect;
  /** Milliseconds; absent = runtime.toolTimeout. */
  readonly timeoutMs?: number;
  /** Capability and action that must grant it; absent = always offered. */
  readonly capability?: { readonly name: string; readonly action: string };
  /** May throw: the runtime turns that into a `failed` result. Runs at least once per call id. */
  run(context: ToolContext, input: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

/** `approval` of a capability entry; absent means allow. */
export type ApprovalMode = 'allow' | 'ask' | 'deny';

export interface OfferedTool {
  readonly tool: Tool;
  readonly approval: ApprovalMode;
}

/** What an agent's spec grants, plain data (AgentSpec.capabilities and features). */
export interface ToolGrants {
  readonly namespace: string;
  readonly agent: string;
  readonly capabilities: Readonly<Record<string, readonly unknown[]>>;
  readonly features: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

export interface ToolRegistry {
  /** Tools of this agent, sorted by name; denied ones are absent. */
  offered(grants: ToolGrants): readonly OfferedTool[];
  /** True for every tool of this process, offered or not: such a call is denied, any other is unknown. */
  exists(name: string): boolean;
  /** All violations of the tool's schema, empty when valid. */
  validate(tool: Tool, input: unknown): readonly string[];
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
