import { type CompactionKeeps, type KeptMessage, PART, type Part, type TranscriptMessage } from '../contract.ts';
import { ROLE } from './replay-steps.ts';

/** Label of a message that its client wants kept. */
const PIN = 'pin';
/** Most references; older ones are left to the summary. */
const REFERENCES_MAX = 200;

const NOTHING_KEPT: CompactionKeeps = { kept: [], references: [] };

const textsOf = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => (part.type === PART.TEXT ? [part.content ?? ''] : []))
    .filter((text) => text !== '')
    .join('\n');

/** The message as compactions keep it; undefined for one that may become part of a summary. */
const keptOf = ({ id, role, labels, parts }: TranscriptMessage): KeptMessage | undefined => {
  const isSystem = role === ROLE.SYSTEM;
  if (!isSystem && labels[PIN] !== 'true') return undefined;
  const text = textsOf(parts);
  return text === '' ? undefined : { messageId: id, isSystem, text };
};

const referenceOf = (part: Part): readonly string[] => {
  const { object, payload, name = '' } = part;
  if (object === undefined) return [];
  const { filename, mediaType } = object;
  if (part.type !== PART.TOOL_RESULT) return [`file ${filename || 'without a name'} (${mediaType})`];
  const callId = payload?.['tool_call_id'];
  return typeof callId === 'string' ? [`output of ${name}: read_tool_output("${callId}", 0)`] : [];
};

/** What of these messages a compaction keeps, behind what the one before kept. */
export const keepsOf = (before: CompactionKeeps, messages: readonly TranscriptMessage[]): CompactionKeeps => ({
  kept: [...before.kept, ...messages.flatMap((message) => keptOf(message) ?? [])],
  references: [
    ...new Set([...before.references, ...messages.flatMap(({ parts }) => parts.flatMap(referenceOf))]),
  ].slice(-REFERENCES_MAX),
});

/** What a stored COMPACTION part keeps; nothing in parts of releases before. */
export const storedKeeps = (part: Part | undefined): CompactionKeeps => {
  const keeps = part?.payload?.['keeps'];
  return keeps === undefined ? NOTHING_KEPT : (keeps as CompactionKeeps);
};

/**
 * Splits what is kept by its budget: of system messages and of pinned ones the newest that fit stay, the older ones become part of the
 * summary.
 */
export const withinBudget = (
  kept: readonly KeptMessage[],
  budget: { readonly tokens: number; readonly count: (text: string) => number },
): { readonly stays: readonly KeptMessage[]; readonly goes: readonly KeptMessage[] } => {
  const left = { system: budget.tokens, pinned: budget.tokens };
  const stays = new Set<KeptMessage>();
  for (const message of kept.toReversed()) {
    const kind = message.isSystem ? 'system' : 'pinned';
    left[kind] -= budget.count(message.text);
    if (left[kind] >= 0) stays.add(message);
  }
  return {
    stays: kept.filter((message) => stays.has(message)),
    goes: kept.filter((message) => !stays.has(message)),
  };
};
