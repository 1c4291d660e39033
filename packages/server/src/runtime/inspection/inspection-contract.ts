import type { ModelTool } from '../../models/contract.ts';
import type { TurnRow } from '../../store/contracts/index.ts';
import type { InspectedPrompt } from '../prompt/prompt-contract.ts';
import type { StepRecord, TurnUsage } from '../record/contract.ts';

/** Why a request cannot be shown as it was. */
export type UnavailableReason =
  /** The release that made the call kept nothing of its request. */
  | 'NOT_RECORDED'
  /** The journal of the turn was removed: it is kept for seven days after the turn ended. */
  | 'JOURNAL_EXPIRED'
  /** A text of the agent, its tools or skills is not kept any more. */
  | 'SOURCE_EXPIRED'
  /** A message of the request was edited since. */
  | 'MESSAGE_EDITED'
  /** A message of the request was deleted since. */
  | 'MESSAGE_DELETED'
  /** Messages came into the history since, with ids older than its newest one. */
  | 'MESSAGES_ADDED'
  /** A file or stored output of the request is gone. */
  | 'OBJECT_GONE'
  /** The provider is not configured any more, or cannot express the request. */
  | 'PROVIDER_CHANGED';

/** Names a call of a turn. */
export interface StepPlace {
  /** Number of the model call in the turn, from 1; for an agent that runs in a harness that of the prompt. */
  readonly step: number;
  /** Number of a summary among those that were written before the call, from 1; 0 for the call itself. */
  readonly summary: number;
}

/** A call of the model, of a compaction, or a prompt of a harness. */
export type StepKind = 'model' | 'compaction' | 'harness';

/** One call of a turn and its answer. */
export interface StepFacts extends StepPlace {
  readonly kind: StepKind;
  /** Absent when nothing was kept; `unavailable` then says why. */
  readonly record?: StepRecord;
  readonly unavailable?: UnavailableReason;
  /** Absent when the answer brought none. */
  readonly usage?: TurnUsage;
  readonly toolCalls: number;
  /** `unused`: a summary that would have saved nothing, and so replaces nothing. */
  readonly outcome: 'tool_calls' | 'answered' | 'failed' | 'stopped' | 'steered' | 'summarised' | 'unused' | 'unknown';
}

/** The request of a model call as it is rebuilt. */
export type RebuiltRequest =
  | { readonly state: 'unavailable'; readonly reason: UnavailableReason }
  /**
   * `exact`: the hash is that of the request as it left. `different`: the hash is another one, and no source of the request is known
   * to have changed; options of the provider or the model may have.
   */
  | {
      readonly state: 'exact' | 'different';
      readonly prompt: InspectedPrompt;
      readonly tools: readonly ModelTool[];
      /** As the provider is sent it; of a harness the text of the prompt. */
      readonly body: string;
      /** SHA-256 of `body`, base64url. */
      readonly sha256: string;
    };

/** Reads what models were sent. */
export interface StepInspector {
  /** Steps of a turn that are known, ascending; a summary comes before the call that it was written for. */
  list(turn: TurnRow): Promise<readonly StepFacts[]>;
  /** Undefined when the turn has no such step. */
  rebuild(
    turn: TurnRow,
    place: StepPlace,
  ): Promise<{ readonly facts: StepFacts; readonly request: RebuiltRequest } | undefined>;
}
