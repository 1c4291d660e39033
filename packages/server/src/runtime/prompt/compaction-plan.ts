import type { ModelMessage } from '../../models/contract.ts';
import type { KeptMessage, PromptPlan, TranscriptMessage } from '../contract.ts';
import { keepsOf, type ReplayStep, withinBudget } from '../history/index.ts';
import { dropOldest } from './drop-oldest.ts';
import { addedText, keptMessages } from './leading-messages.ts';
import type { BudgetRules, PromptDraft } from './prompt-draft.ts';
import { type CountTokens, countMessages } from './token-count.ts';
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

/** What a summary is asked for with. */
export interface SummaryAsk {
  /** Kept messages that become part of the summary. */
  readonly goes: readonly KeptMessage[];
  readonly stays: readonly KeptMessage[];
  readonly references: readonly string[];
  /** Messages that are covered, those that stay word for word among them. */
  readonly covered: readonly TranscriptMessage[];
  /** Steps to summarise: as they are in the draft, with long results cut where they did not fit, and as they are sent. */
  readonly source: readonly ReplayStep[];
  readonly trimmed: readonly ReplayStep[];
  readonly fitted: readonly ReplayStep[];
  /** Leading messages that are sent, and what the summaries before say. */
  readonly leading: readonly ModelMessage[];
  readonly before: readonly ModelMessage[];
  readonly question: ModelMessage;
}

/** Messages of the request in their order. */
const summaryMessages = ({ leading, before, fitted, question }: SummaryAsk): readonly ModelMessage[] => [
  ...leading,
  ...before,
  ...fitted.flatMap((step) => step.messages),
  question,
];

/** What a summary of all before the latest user message is asked for with; undefined when there is nothing to summarise, or no room. */
export const summaryAsk = (
  draft: PromptDraft,
  { effective, count }: { readonly effective: number; readonly count: CountTokens },
): SummaryAsk | undefined => {
  const start = tailStart(draft.steps, draft.turnId);
  const covered = coveredMessages(draft, start);
  const { stays, goes, references } = keepsFor(draft, covered, { effective, count });
  const keptIds = new Set(stays.map(({ messageId }) => messageId));
  const source = draft.steps.slice(0, start).filter(({ messageId }) => !keptIds.has(messageId));
  if (source.length === 0 || covered.length === 0) return undefined;
  const before = [...draft.summary, ...keptMessages(goes)];
  const leading = draft.leading.filter((message) => message.role === 'system');
  const question: ModelMessage = { role: 'user', content: [addedText(INSTRUCTION)] };
  const room = effective - countMessages([...leading, ...before, question], count);
  const { trimmed, fitted } = fitSource(source, room, count);
  if (countSteps(fitted, count) > room) return undefined;
  return { goes, stays, references, covered, source, trimmed, fitted, leading, before, question };
};

/** Budget row 2: asks for a summary of all before the latest user message; undefined when there is nothing worth it. */
export const compactionPlan = (draft: PromptDraft, rules: BudgetRules, isTrimmed: boolean): PromptPlan | undefined => {
  const { limits, count } = rules;
  const { effective } = limits;
  const ask = summaryAsk(draft, { effective, count });
  const throughMessageId = ask?.covered.at(-1)?.id;
  if (ask === undefined || throughMessageId === undefined) return undefined;
  const { goes, stays, references, covered } = ask;
  const sourceTokens = countMessages(ask.before, count) + countSteps(ask.source, count);
  if (!rules.compactNow && sourceTokens < effective * LEAST_SOURCE_SHARE) return undefined;
  const keptIds = new Set(stays.map(({ messageId }) => messageId));
  return {
    kind: 'compact',
    messages: summaryMessages(ask),
    throughMessageId,
    sourceTokens,
    summarised: [...goes.map(({ messageId }) => messageId), ...covered.map(({ id }) => id)].filter(
      (id) => !keptIds.has(id),
    ),
    keeps: { kept: stays, references },
    tools: draft.tools,
    fit: { effective, isTrimmed, maxOutputTokens: rules.compactionOutput },
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
  { effective, count }: { readonly effective: number; readonly count: CountTokens },
): {
  readonly stays: readonly KeptMessage[];
  readonly goes: readonly KeptMessage[];
  readonly references: readonly string[];
} => {
  const { kept, references } = keepsOf(draft.keeps, covered);
  const tokens = Math.min(KEPT_TOKENS, Math.floor(effective * KEPT_SHARE));
  const { stays, goes } = withinBudget(kept, { tokens, count });
  const before = new Set(draft.keeps.kept);
  return { stays, goes: goes.filter((message) => before.has(message)), references };
};

const countSteps = (steps: readonly ReplayStep[], count: CountTokens): number =>
  steps.reduce((tokens, step) => tokens + countMessages(step.messages, count), 0);

/** The source itself has to fit the model: cut results first, then drop the oldest messages. */
const fitSource = (
  source: readonly ReplayStep[],
  room: number,
  count: CountTokens,
): Pick<SummaryAsk, 'trimmed' | 'fitted'> => {
  if (countSteps(source, count) <= room) return { trimmed: source, fitted: source };
  const trimmed = trimResults(source, -1, count);
  const excess = countSteps(trimmed, count) - room;
  return { trimmed, fitted: dropOldest(trimmed, { keepFrom: trimmed.length, excess, count }) };
};
