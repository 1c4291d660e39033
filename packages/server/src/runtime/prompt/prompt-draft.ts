import type { ModelMessage, ModelTool } from '../../models/contract.ts';
import type { CompactionKeeps, Part, TranscriptMessage } from '../contract.ts';
import type { LoadedObjects, ReplayStep } from '../history/index.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { SystemBlock } from './leading-messages.ts';
import type { CountTokens } from './token-count.ts';

/** Everything of a call before the budget looks at it. */
export interface PromptDraft {
  /** What the system message is made of. */
  readonly blocks: readonly SystemBlock[];
  /** System message and skills; always kept. */
  readonly leading: readonly ModelMessage[];
  /** The newest COMPACTION part; undefined when there is none. */
  readonly compaction: Part | undefined;
  /** Summary of what a compaction covers, always kept; empty when there is none. */
  readonly summary: readonly ModelMessage[];
  /** Messages that compactions before kept word for word; always kept. */
  readonly kept: readonly ModelMessage[];
  /** What the newest compaction kept; nothing when there is none. */
  readonly keeps: CompactionKeeps;
  readonly steps: readonly ReplayStep[];
  readonly tools: readonly ModelTool[];
  /** Messages behind `steps`, in order, those without content included. */
  readonly transcript: readonly TranscriptMessage[];
  readonly turnId: string;
  /** What was read of the objects that the transcript names. */
  readonly objects: LoadedObjects;
}

/** What a prompt has to keep within, and how its size is counted. */
export interface BudgetRules {
  readonly limits: BudgetLimits;
  /** Exact count of a text by the tokenizer. */
  readonly count: CountTokens;
  /** Never below `count`, and cheap. */
  readonly bound: CountTokens;
  /** Largest answer of a compaction call. */
  readonly compactionOutput: number;
  readonly mayCompact: boolean;
  /** A compaction was asked for, whatever the size of the prompt. */
  readonly compactNow: boolean;
}
