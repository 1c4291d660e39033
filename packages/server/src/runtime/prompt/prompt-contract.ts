import type { ModelMessage, ModelTarget, ModelTool } from '../../models/contract.ts';
import type { ReadTx, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import type { Goal } from '../../tools/goal-contract.ts';
import type { AgentRevision } from '../agent-revision.ts';
import type { CompactionKeeps, Part } from '../record/contract.ts';

/** Prompt assembly: between the step loop and runtime/prompt, runtime/history. */

/** A message of the model history in its final order; the current turn's messages come last. */
export interface TranscriptMessage {
  readonly id: string;
  /** Numeric svc.data.MessageRole. */
  readonly role: number;
  readonly turnId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
}

export interface HistoryReader {
  /**
   * Messages of ended turns and appended ones in the order of their turns, newest part of the conversation only as far back as
   * `tokenLimit` needs or the last COMPACTION part covers. The current turn's own messages are not included.
   */
  before(
    tx: ReadTx,
    session: SessionRow,
    turn: TurnRow,
    tokenLimit: number,
    countTokens: (text: string) => number,
  ): Promise<readonly TranscriptMessage[]>;
}

export interface PromptSkills {
  readonly catalogue: readonly { readonly name: string; readonly description: string }[];
  readonly active: readonly { readonly name: string; readonly text: string | undefined }[];
}

export interface PromptRequest {
  readonly agent: AgentRevision;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly session: { readonly id: string; readonly labels: Readonly<Record<string, string>> };
  readonly sender: string;
  readonly channel: string;
  readonly target: ModelTarget;
  readonly nowMicros: number;
  /** History, the user message(s) of this turn, and its assistant messages as recorded so far. */
  readonly transcript: readonly TranscriptMessage[];
  readonly turnId: string;
  readonly tools: readonly ModelTool[];
  /** Ratio of reported to counted input tokens of the last call with this session and model; 1 at first. */
  readonly tokenCorrection: number;
  /** Halved after an overflow answer. */
  readonly windowFactor: number;
  /** True once compaction failed or was ignored in this turn. */
  readonly skipCompaction: boolean;
  /** A compaction was asked for: it runs before the next call, however small the prompt is. */
  readonly compactNow?: boolean;
  /** Visible skills for the catalogue, active ones in activation order; text undefined = it vanished. */
  readonly skills?: PromptSkills;
  /** Active goals of the session. */
  readonly goals?: readonly Pick<Goal, 'objective' | 'successCriteria' | 'progress'>[];
}

export type PromptPlan =
  /** `countedTokens` 0: certainly fits, so nothing was counted; leave the token correction as it is. */
  | {
      readonly kind: 'call';
      readonly messages: readonly ModelMessage[];
      readonly tools: readonly ModelTool[];
      readonly countedTokens: number;
    }
  /** Run this request without tools first; journal its text as COMPACTION through `throughMessageId`. */
  | {
      readonly kind: 'compact';
      readonly messages: readonly ModelMessage[];
      readonly throughMessageId: string;
      readonly sourceTokens: number;
      /** Ids of the messages that the summary replaces. */
      readonly summarised: readonly string[];
      /** What the COMPACTION part keeps word for word. */
      readonly keeps: CompactionKeeps;
      readonly maxOutputTokens: number;
    }
  | { readonly kind: 'overflow' };

export interface PromptAssembler {
  /** The whole prompt: system, skills, transcript, post-history, budget. Reads objects by `readObject`. */
  plan(request: PromptRequest): Promise<PromptPlan>;
}

/** Syntax and variable check of prompts at write time: violations with line and column. */
export type PromptCheck = (
  text: string,
) => readonly { readonly line: number; readonly column: number; readonly message: string }[];
