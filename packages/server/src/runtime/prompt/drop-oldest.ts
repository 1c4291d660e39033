import type { ReplayStep } from '../history/index.ts';
import { addedText } from './leading-messages.ts';
import { type CountTokens, countMessages } from './token-count.ts';

/** The line that stands for dropped messages. */
const markerStep = (count: number): ReplayStep => ({
  messageId: '',
  turnId: '',
  role: 'user',
  isStep: false,
  messages: [
    {
      role: 'user',
      content: [addedText(`[${count} earlier message${count === 1 ? ' was' : 's were'} left out here.]`)],
    },
  ],
});

/**
 * Budget row 3: drops whole messages from the front until `excess` tokens are gone, never from `keepFrom` on; a marker
 * with their number takes their place. Steps of one message go together, so pairs stay whole.
 */
export const dropOldest = (
  steps: readonly ReplayStep[],
  options: { readonly keepFrom: number; readonly excess: number; readonly count: CountTokens },
): readonly ReplayStep[] => {
  const { keepFrom, excess, count } = options;
  if (excess <= 0 || keepFrom === 0) return steps;
  const goal = excess + countMessages(markerStep(keepFrom).messages, count);
  let freed = 0;
  let dropped = 0;
  let at = 0;
  while (at < keepFrom && freed < goal) {
    const id = steps[at]?.messageId;
    while (at < keepFrom && steps[at]?.messageId === id) {
      freed += countMessages(steps[at]?.messages ?? [], count);
      at += 1;
    }
    dropped += 1;
  }
  return [markerStep(dropped), ...steps.slice(at)];
};
