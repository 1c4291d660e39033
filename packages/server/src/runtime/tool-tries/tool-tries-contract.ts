import type { JudgedTools, OfferedTool, ToolResult, ToolWait } from '../../tools/contract.ts';
import type { AgentRevision } from '../agent-revision.ts';

/** Whose tools are asked for, and by whom. */
export interface ToolAsker {
  readonly agent: AgentRevision;
  readonly identity: string;
  /** The person does not wait any more. */
  readonly signal: AbortSignal;
}

/** One call of one tool. */
export interface ToolTry extends ToolAsker {
  readonly offer: OfferedTool;
  /** As the schema of the tool allows it. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A UUID, the same for a repeated call: it stands for the turn and is the key by which a tool knows the call. */
  readonly callId: string;
  /** How long the person waits at most, milliseconds. */
  readonly timeoutMs: number;
}

/** What came of it: a result, or what a turn would wait for. */
export type ToolTryOutcome = { readonly result: ToolResult } | { readonly wait: ToolWait };

export interface ToolTries {
  /** What a turn of the agent for the person would be offered, and what not. `calling` names a tool that is about to be called: its MCP server is waited for as in a turn. */
  tools(asker: ToolAsker, calling?: string): Promise<JudgedTools>;
  /** Violations of the tool's schema, at most 5; empty when valid. */
  problems(offer: OfferedTool, input: unknown): readonly string[];
  /** Runs the tool whatever its approval; never rejects. */
  run(call: ToolTry): Promise<ToolTryOutcome>;
}
