import type { ModelMessage } from '../../models/contract.ts';
import type { KeptMessage, PromptPlan, TranscriptMessage } from '../contract.ts';
import { keepsOf, type ReplayStep, withinBudget } from '../history/index.ts';
import { dropOldest } from './drop-oldest.ts';
import { addedText, keptMessages } from './leading-messages.ts';
import type { BudgetRules, PromptDraft } from './prompt-draft.ts';
import { countMessages } from './token-count.ts';
import { trimResults } from './trim-results.ts';

/** A history smaller than this share of the window gains nothing by a summary. */
const LEAST_SOURCE_SHARE = 0.05;

/** Most tokens of pinned messages, and of system messages, that compactions keep; a small window keeps its share. */
const KEPT_TOKENS = 8000;
const KEPT_SHARE = 0.2;

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
  const covered = coveredMessages(draft, start);
  const throughMessageId = covered.at(-1)?.id;
  const { stays, goes, references } = keepsFor(draft, covered, rules);
  const keptIds = new Set(stays.map(({ messageId }) => messageId));
  const source = draft.steps.slice(0, start).filter(({ messageId }) => !keptIds.has(messageId));
  if (source.length === 0 || throughMessageId === undefined) return undefined;
  const before = [...draft.summary, ...keptMessages(goes)];
  const sourceTokens = countMessages(before, rules.count) + countSteps(source, rules);
  if (!rules.compactNow && sourceTokens < rules.limits.effective * LEAST_SOURCE_SHARE) return undefined;
  const question: ModelMessage = { role: 'user', content: [addedText(INSTRUCTION)] };
  const fixed = [...draft.leading.filter((message) => message.role === 'system'), ...before, question];
  const room = rules.limits.effective - countMessages(fixed, rules.count);
  const fitted = fitSource(source, room, rules);
  if (countSteps(fitted, rules) > room) return undefined;
  return {
    kind: 'compact',
    messages: [...fixed.slice(0, -1), ...fitted.flatMap((step) => step.messages), question],
    throughMessageId,
    sourceTokens,
    summarised: [...goes.map(({ messageId }) => messageId), ...covered.map(({ id }) => id)].filter(
      (id) => !keptIds.has(id),
    ),
    keeps: { kept: stays, references },
    maxOutputTokens: rules.compactionOutput,
  };
};

/** Messages before the one at `start`, those without content included. */
const coveredMessages = (draft: PromptDraft, start: number): readonly TranscriptMessage[] => {
  const tailId = draft.steps[start]?.messageId;
  return draft.transcript.slice(
    0,
    Math.max(
      0,
      draft.transcript.findIndex((message) => message.id === tailId),
    ),
  );
};

/** What the next COMPACTION part keeps, and which of what was kept before becomes part of its summary. */
const keepsFor = (
  draft: PromptDraft,
  covered: readonly TranscriptMessage[],
  { limits, count }: BudgetRules,
): {
  readonly stays: readonly KeptMessage[];
  readonly goes: readonly KeptMessage[];
  readonly references: readonly string[];
} => {
  const { kept, references } = keepsOf(draft.keeps, covered);
  const tokens = Math.min(KEPT_TOKENS, Math.floor(limits.effective * KEPT_SHARE));
  const { stays, goes } = withinBudget(kept, { tokens, count });
  const before = new Set(draft.keeps.kept);
  return { stays, goes: goes.filter((message) => before.has(message)), references };
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
