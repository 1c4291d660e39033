import type { ModelContent, ModelMessage } from '../../models/contract.ts';
import { cutMiddle, type ReplayStep } from '../history/index.ts';
import { addedText } from './leading-messages.ts';
import type { CountTokens } from './token-count.ts';

/** Longer results of older steps are cut in the middle. */
const RESULT_TOKENS = 2000;
/** Steps at the end of the transcript whose results stay whole. */
const WHOLE_STEPS = 2;

/**
 * Budget row 1: results older than the last two steps lose their middle, images older than these become lines. The
 * latest user message, at `latestUser`, keeps its images. Changes only the request.
 */
export const trimResults = (
  steps: readonly ReplayStep[],
  latestUser: number,
  count: CountTokens,
): readonly ReplayStep[] => {
  const assistants = steps.flatMap((step, index) => (step.role === 'assistant' ? [index] : []));
  const firstWhole = assistants.at(-WHOLE_STEPS) ?? 0;
  return steps.map((step, index) =>
    index < firstWhole && index !== latestUser
      ? { ...step, messages: step.messages.map((message) => trimMessage(message, count)) }
      : step,
  );
};

const trimMessage = (message: ModelMessage, count: CountTokens): ModelMessage => ({
  ...message,
  content: message.content.map((content) => trimContent(content, count)),
});

const trimContent = (content: ModelContent, count: CountTokens): ModelContent => {
  if (content.type === 'media') return mediaLine(content);
  if (content.type !== 'result') return content;
  const tokens = count(content.text);
  if (tokens <= RESULT_TOKENS) return content;
  const chars = Math.floor((content.text.length / tokens) * RESULT_TOKENS);
  return { ...content, text: cutMiddle(content.text, chars, content.callId) };
};

const mediaLine = (content: Extract<ModelContent, { type: 'media' }>): ModelContent => {
  const { mediaType, filename } = content.media;
  return addedText(`[file ${filename || 'without a name'} (${mediaType}), left out to save space]`);
};
