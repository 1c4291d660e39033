import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider';
import type { SdkType } from './sdk-models.ts';

/** One part of an answer as the provider wants it back: with its signature, encrypted content or item id. */
export type SdkPart = LanguageModelV4ReasoningPart | LanguageModelV4TextPart | LanguageModelV4ToolCallPart;

/**
 * Everything of one answer that must go back in the same turn, in the provider's order. It stands for the whole
 * assistant message: thinking, text and calls may alternate, and signatures cover that order.
 */
interface SdkContinuation {
  readonly sdk: SdkType;
  readonly parts: readonly SdkPart[];
}

export const isContinuationOf = (type: SdkType, value: unknown): value is SdkContinuation =>
  typeof value === 'object' &&
  value !== null &&
  'sdk' in value &&
  value.sdk === type &&
  'parts' in value &&
  Array.isArray(value.parts);
