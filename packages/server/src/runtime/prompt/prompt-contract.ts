import type { ModelContent, ModelFacts, ModelMessage, ModelTarget, ModelTool } from '../../models/contract.ts';
import type { ReadTx, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import type { AgentRevision } from '../agent-revision.ts';
import type {
  CompactionKeeps,
  HarnessAsk,
  HistoryExtent,
  ObjectData,
  Part,
  ShownGoal,
  SummaryFit,
} from '../record/contract.ts';

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

/** Messages of a history, and how far it reaches. */
export interface History {
  readonly messages: readonly TranscriptMessage[];
  readonly extent: HistoryExtent;
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
  ): Promise<History>;
  /** The same messages again, as far as they are still stored: those of an extent that `before` answered for the turn. */
  within(
    place: {
      readonly tx: ReadTx;
      readonly session: Pick<SessionRow, 'id'>;
      readonly turn: Pick<TurnRow, 'id' | 'fence'>;
    },
    extent: HistoryExtent,
  ): Promise<readonly TranscriptMessage[]>;
}

export interface PromptSkills {
  readonly catalogue: readonly { readonly name: string; readonly description: string }[];
  readonly active: readonly { readonly name: string; readonly text: string | undefined }[];
}

/** What a prompt shows of its agent. */
export type PromptAgent = Pick<AgentRevision, 'name' | 'namespace' | 'labels' | 'promptOf'> & {
  readonly spec: Pick<AgentRevision['spec'], 'systemPrompt' | 'postHistoryPrompt'>;
};

export interface PromptRequest {
  readonly agent: PromptAgent;
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
  readonly goals?: readonly ShownGoal[];
}

export type PromptPlan =
  /** `countedTokens` 0: certainly fits, so nothing was counted; leave the token correction as it is. */
  | {
      readonly kind: 'call';
      readonly messages: readonly ModelMessage[];
      readonly tools: readonly ModelTool[];
      readonly countedTokens: number;
      /** Tokens to which the transcript was cut; absent when all of it is in `messages`. */
      readonly fitTo?: number;
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
      /** Tools of the call behind it, which the system message goes by. */
      readonly tools: readonly ModelTool[];
      readonly fit: SummaryFit;
    }
  | { readonly kind: 'overflow' };

export interface PromptAssembler {
  /** The whole prompt: system, skills, transcript, post-history, budget. Reads objects by `readObject`. */
  plan(request: PromptRequest): Promise<PromptPlan>;
}

/** Where a piece of a request comes from. */
export type PieceSource =
  | 'tool'
  | 'system_prompt'
  | 'skill_catalogue'
  | 'goals'
  | 'skill'
  | 'summary'
  /** A message that compactions keep word for word. */
  | 'kept_message'
  | 'transcript'
  /** A document of the knowledge base that the model read. */
  | 'knowledge'
  | 'post_history'
  /** The line in place of messages that were dropped. */
  | 'omission'
  /** What asks for a summary. */
  | 'instruction'
  /** What a harness learns of its workspace. */
  | 'notice';

/** One piece of a request, in the order in which it was sent; tools come first. */
export interface RequestPiece {
  readonly source: PieceSource;
  /** Skill, tool or path of a document; `session` for a system prompt of the session; '' for others. */
  readonly name: string;
  readonly role: ModelMessage['role'];
  readonly messageId: string;
  readonly partId: string;
  /** Of a tool: its description as JSON text. */
  readonly content: ModelContent;
  /** Counted by the tokenizer of the model. */
  readonly tokens: number;
  /** What a part names: the file, or the whole text of a long result. */
  readonly object?: ObjectData;
  /** Tokens of the content before it was cut, and why it was. */
  readonly cut?: { readonly tokens: number; readonly reason: 'over_budget' };
}

/** A message that was not sent. */
export interface DroppedMessage {
  readonly messageId: string;
  /** `summarised`: the summary replaces it. `not_read`: the window has no room for it, nor for anything older. */
  readonly reason: 'over_budget' | 'summarised' | 'not_read';
  /** 0 where it was not counted. */
  readonly tokens: number;
}

/** A prompt that was assembled once more. */
export interface InspectedPrompt {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly pieces: readonly RequestPiece[];
  readonly dropped: readonly DroppedMessage[];
  /** Objects that the transcript names and that are gone. */
  readonly missingObjects: number;
}

/** How a request was made, as it is kept of the call. */
export interface PromptForm {
  readonly inputs: ModelFacts['inputs'];
  readonly fitTo?: number | undefined;
  readonly summary?: SummaryFit;
  readonly harness?: HarnessAsk;
}

/** Assembles a prompt as it was. */
export type PromptInspector = (request: PromptRequest, form: PromptForm) => Promise<InspectedPrompt>;

/** Syntax and variable check of prompts at write time: violations with line and column. */
export type PromptCheck = (
  text: string,
) => readonly { readonly line: number; readonly column: number; readonly message: string }[];
