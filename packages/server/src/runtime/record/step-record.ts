import type { ModelFacts, ModelTarget, ThinkingOptions } from '../../models/contract.ts';
import type { Goal } from '../../tools/goal-contract.ts';

/** Which messages before a turn its attempt read: all of them between two ids whose turns began between two fences. */
export interface HistoryExtent {
  /** Fence of the claim that read them: turns that began later were not seen. */
  readonly fence: number;
  /** Turns that began below it were left out: only a part of them was read. */
  readonly floor: number;
  /** Least and greatest id of what was seen; '' = none. Everything older was left out for its size or is in a summary. */
  readonly oldest: string;
  readonly newest: string;
  /** Messages that were seen, without those that a summary covers. */
  readonly count: number;
}

/** A goal as the system message names it. */
export type ShownGoal = Pick<Goal, 'objective' | 'successCriteria' | 'progress'>;

/** What the request of a summary was cut to. */
export interface SummaryFit {
  /** Tokens that fit the model: they bound the text to summarise, and what is kept word for word. */
  readonly effective: number;
  /** The transcript was larger than that, so that its long results lost their middle first. */
  readonly isTrimmed: boolean;
  readonly maxOutputTokens: number;
}

/** What the prompt of a harness was made for. */
export interface HarnessAsk {
  /** What policies and prices know the harness by; the target of the record is the profile whose tokenizer counts. */
  readonly target: ModelTarget;
  /** Its session knows the instructions and the conversation: it is sent the turn's own messages alone. */
  readonly isLoaded: boolean;
  /** It learns that files of earlier turns were lost. */
  readonly isReset: boolean;
  /** The instructions are left out: they do not fit the model of the profile. */
  readonly isBare: boolean;
}

/**
 * What is kept of one model call, in its journal entry or, for the last one of a turn, in the turn: the hash of the request as it left,
 * and those sources of it that are stored nowhere else. Messages are named by id; texts of agents, tools and skills are kept once, by
 * their hash (`PromptSource`).
 */
export interface StepRecord {
  /** Number of the model call in the turn, from 1; of a summary that of the call behind it; of a harness that of its prompt. */
  readonly step: number;
  readonly target: ModelTarget;
  readonly temperature?: number;
  readonly thinking?: ThinkingOptions;
  readonly outputLimit?: number;
  /** What the model took by value when it was asked. */
  readonly inputs: ModelFacts['inputs'];
  /** SHA-256 of the body of the request as it left, base64url, and its bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** Unix time, micros. */
  readonly startedAt: number;
  /** Milliseconds until the first piece of the answer; absent when none came. */
  readonly firstMs?: number;
  readonly durationMs: number;
  /** The assistant message that was being written, and how many of its parts the model was shown. */
  readonly messageId: string;
  readonly parts: number;
  readonly history: HistoryExtent;
  /** Hashes of sources. */
  readonly agent: string;
  readonly tools?: string;
  readonly catalogue?: string;
  /** Active skills in their order. */
  readonly skills?: readonly string[];
  readonly goals?: readonly ShownGoal[];
  /** Labels as they were, where a prompt of the agent has expressions. */
  readonly values?: {
    readonly session: Readonly<Record<string, string>>;
    readonly namespace: Readonly<Record<string, string>>;
  };
  /** Tokens to which the transcript was cut; absent when it was sent whole. */
  readonly fitTo?: number;
  /** Of the call of a compaction. */
  readonly summary?: SummaryFit;
  /** Of the prompt of a harness. */
  readonly harness?: HarnessAsk;
}

/** A text that requests are made of and that may change afterwards, as JSON; kept once for all requests of a namespace. */
export interface PromptSource {
  /** SHA-256 of the text, base64url. */
  readonly hash: string;
  readonly text: string;
}

/** What is kept of a model call, and the texts that it refers to. */
export interface KeptCall {
  readonly record: StepRecord;
  readonly sources: readonly PromptSource[];
}
