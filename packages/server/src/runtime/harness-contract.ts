import type { AcpRuntime } from '@svc/api/resources';
import type { TurnErrorClass } from './record/index.ts';

/** Between the step that runs a turn in an external agent, a harness, and the feature that starts harnesses in sandboxes. */

/** The turn that a harness runs. */
export interface HarnessTurn {
  readonly namespace: string;
  readonly agent: string;
  readonly agentUid: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly runtime: AcpRuntime;
  /** The harness's own session of an earlier turn, to be continued; '' for a new one. */
  readonly savedSessionId: string;
  /** Stop, time-out, or loss of the claim: the prompt is cancelled, and what still runs is killed. */
  readonly signal: AbortSignal;
}

/** What a harness asks a person, and the answers it takes. */
export interface HarnessQuestion {
  /** The harness's own id of the call, '' where no call asks. */
  readonly callId: string;
  readonly action: string;
  readonly prompt: string;
  readonly input: unknown;
  readonly options: readonly { readonly id: string; readonly name: string; readonly allow: boolean }[];
}

/** A tool of the harness. */
export interface HarnessCall {
  /** The harness's own id. */
  readonly callId: string;
  readonly name: string;
}

/** A tool of the agent, as its harness learns of it. */
export interface HarnessTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
}

export interface HarnessToolCall {
  readonly name: string;
  readonly input: unknown;
  /** The harness's own id of the call, where it announced it as a call of its own; '' where it did not. */
  readonly announcedAs: string;
}

export interface HarnessToolResult {
  readonly text: string;
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A session of the harness that is open. */
export interface HarnessSession {
  readonly id: string;
  /** It knows what was said before. */
  readonly isLoaded: boolean;
  /** Files of earlier turns were lost. */
  readonly isReset: boolean;
  /** Name of the Sandbox. */
  readonly sandbox: string;
}

/**
 * What happens in a harness, as it happens. Each function resolves once it is recorded, and rejects when the turn cannot be recorded any
 * further: then the harness has to end, and `run` rejects with the same.
 */
export interface HarnessListener {
  /** Answers the text to prompt the session with. */
  opened(session: HarnessSession): Promise<string>;
  text(kind: 'text' | 'reasoning', piece: string): Promise<void>;
  /** False: the call may not run, and the harness has to end. */
  callBegan(call: HarnessCall & { readonly input: unknown }): Promise<boolean>;
  callEnded(call: HarnessCall & { readonly output: string; readonly isError: boolean }): Promise<void>;
  /** Tools of the agent that the harness may call. */
  tools(): Promise<readonly HarnessTool[]>;
  callTool(call: HarnessToolCall): Promise<HarnessToolResult>;
  /** Id of the chosen option; undefined when no one answered in time, or the turn ends. */
  ask(question: HarnessQuestion): Promise<string | undefined>;
}

/** Tokens that a harness reported for its prompt. */
export interface HarnessUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
}

export type HarnessEnd =
  | {
      readonly kind: 'ended';
      /** `cancelled` follows the signal, or is the harness's own. */
      readonly reason: 'stop' | 'length' | 'refused' | 'cancelled';
      readonly usage: HarnessUsage | undefined;
    }
  /** The harness or its sandbox is gone. */
  | { readonly kind: 'lost'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly errorClass: TurnErrorClass; readonly sentence: string };

/** Runs one prompt of a turn; when it resolves or rejects, no process of the harness is left. */
export interface Harnesses {
  run(turn: HarnessTurn, sink: HarnessListener): Promise<HarnessEnd>;
}
