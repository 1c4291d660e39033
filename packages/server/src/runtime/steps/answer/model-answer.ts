import type { ModelError, ModelFinish } from '../../../models/contract.ts';
import type { KeptCall, TurnUsage } from '../../contract.ts';
import type { ResolvedProfile } from '../../record/index.ts';

/** A tool call as the model wrote it; `inputText` may be no JSON at all. */
export interface RequestedCall {
  readonly providerCallId: string;
  readonly name: string;
  readonly inputText: string;
}

/** What one model call brought. Text is already in the writer. */
export type CallOutcome =
  | {
      readonly kind: 'finished';
      readonly finish: ModelFinish;
      readonly usage: TurnUsage;
      readonly calls: readonly RequestedCall[];
    }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly usage: TurnUsage | undefined }
  | { readonly kind: 'aborted' };

/** A model call that was begun. */
export interface AskedCall {
  /** What is kept of it with its answer; undefined when no request left. */
  kept(): KeptCall | undefined;
}

/** A model's complete answer, with what it was asked. */
export interface ModelAnswer {
  readonly outcome: Extract<CallOutcome, { kind: 'finished' }>;
  readonly countedTokens: number;
  readonly profile: ResolvedProfile;
}
