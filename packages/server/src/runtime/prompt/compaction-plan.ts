import type { ModelMessage } from '../../models/contract.ts';
import type { PromptPlan } from '../contract.ts';
import type { ReplayStep } from '../history/index.ts';
import { dropOldest } from './drop-oldest.ts';
import { addedText } from './leading-messages.ts';
import type { BudgetRules, PromptDraft } from './prompt-draft.ts';
import { countMessages } from './token-count.ts';
import { trimResults } from './trim-results.ts';

/** A history smaller than this share of the window gains nothing by a summary. */
const LEAST_SOURCE_SHARE = 0.05;

const INSTRUCTION =
  'Summarise the conversation above so that it can be continued without it. Keep what the user wants and decided, facts, ' +
  'names, numbers, file and call ids, results of tools that still matter, and what is unfinished. Write only the summary.';

/** Position of the latest user message, -1 when there is none. */
export const latestUserIndex = (steps: readonly ReplayStep[]): number =>
  steps.findLastIndex((step) => step.role === 'user');

/**
 * Where the part begins that no budget row may touch: the latest user message, with the messages of the same turn that
 * came directly before it (a burst is one input).
 */
export const tailStart = (steps: readonly ReplayStep[], turnId: string): number => {
  let start = Math.max(0, latestUserIndex(steps));
  while (start > 0 && steps[start - 1]?.role === 'user' && steps[start - 1]?.turnId === turnId) start -= 1;
  return start;
};

/** Budget row 2: asks for a summary of all before the latest user message; undefined when there is nothing worth it. */
export const compactionPlan = (draft: PromptDraft, rules: BudgetRules): PromptPlan | undefined => {
  const start = tailStart(draft.steps, draft.turnId);
  const source = draft.steps.slice(0, start);
  const throughMessageId = lastBefore(draft, start);
  if (source.length === 0 || throughMessageId === undefined) return undefined;
  const sourceTokens = countMessages(draft.summary, rules.count) + countSteps(source, rules);
  if (sourceTokens < rules.limits.effective * LEAST_SOURCE_SHARE) return undefined;
  const question: ModelMessage = { role: 'user', content: [addedText(INSTRUCTION)] };
  const fixed = [...draft.leading.filter((message) => message.role === 'system'), ...draft.summary, question];
  const room = rules.limits.effective - countMessages(fixed, rules.count);
  const fitted = fitSource(source, room, rules);
  if (countSteps(fitted, rules) > room) return undefined;
  return {
    kind: 'compact',
    messages: [...fixed.slice(0, -1), ...fitted.flatMap((step) => step.messages), question],
    throughMessageId,
    sourceTokens,
    maxOutputTokens: rules.compactionOutput,
  };
};

const countSteps = (steps: readonly ReplayStep[], rules: BudgetRules): number =>
  steps.reduce((tokens, step) => tokens + countMessages(step.messages, rules.count), 0);

/** The source itself has to fit the model: cut results first, then drop the oldest messages. */
const fitSource = (source: readonly ReplayStep[], room: number, rules: BudgetRules): readonly ReplayStep[] => {
  if (countSteps(source, rules) <= room) return source;
  const trimmed = trimResults(source, -1, rules.count);
  const excess = countSteps(trimmed, rules) - room;
  return dropOldest(trimmed, { keepFrom: trimmed.length, excess, count: rules.count });
};

/** Id of the message before the one at `start`, whether it has content or not. */
const lastBefore = (draft: PromptDraft, start: number): string | undefined => {
  const tailId = draft.steps[start]?.messageId;
  const index = draft.transcript.findIndex((message) => message.id === tailId);
  return draft.transcript[index - 1]?.id;
};
