import type { StepPiece } from '@svc/api/data';

/** Neighbours of one source, as one block. */
export interface PromptBlock {
  /** Its place in the request. */
  readonly key: string;
  readonly source: string;
  readonly tokens: number;
  /** Part of the whole, from 0 to 1. */
  readonly share: number;
}

/** The request as blocks in its order, each as wide as its tokens. */
export const promptBlocks = (pieces: readonly StepPiece[]): readonly PromptBlock[] => {
  const total = pieces.reduce((sum, { tokens }) => sum + Number(tokens), 0);
  const blocks: PromptBlock[] = [];
  for (const { source, tokens } of pieces) {
    const last = blocks.at(-1);
    const isSame = last?.source === source;
    const sum = Number(tokens) + (isSame ? last.tokens : 0);
    const key = isSame ? last.key : `${blocks.length} ${source}`;
    const block = { key, source, tokens: sum, share: total === 0 ? 0 : sum / total };
    if (isSame) blocks[blocks.length - 1] = block;
    else blocks.push(block);
  }
  return blocks;
};

/** The pieces with their places in the request as keys: nothing else tells equal ones apart. */
export const placedPieces = (
  pieces: readonly StepPiece[],
): readonly { readonly key: string; readonly piece: StepPiece }[] =>
  pieces.map((piece, index) => ({ key: `${index} ${piece.source}`, piece }));

/** What tells a piece from others of another request. */
const identity = ({ source, name, role, messageId, partId, form, toolCallId, text }: StepPiece): string =>
  JSON.stringify([source, name, role, messageId, partId, form, toolCallId, text]);

/** How a request differs from the one before. */
export interface PromptChange {
  readonly added: ReadonlySet<StepPiece>;
  readonly removed: readonly StepPiece[];
}

export const promptChange = (before: readonly StepPiece[], now: readonly StepPiece[]): PromptChange => {
  const had = new Set(before.map(identity));
  const has = new Set(now.map(identity));
  return {
    added: new Set(now.filter((piece) => !had.has(identity(piece)))),
    removed: before.filter((piece) => !has.has(identity(piece))),
  };
};

/** Words for where a piece comes from. */
const SOURCES: Readonly<Record<string, string>> = {
  tool: 'Tools',
  system_prompt: 'System prompt',
  skill_catalogue: 'List of skills',
  goals: 'Goals',
  skill: 'Skill',
  summary: 'Summary',
  kept_message: 'Kept word for word',
  transcript: 'Conversation',
  knowledge: 'Knowledge',
  post_history: 'Prompt behind the message',
  omission: 'Line for what was left out',
  instruction: 'What asks for the summary',
  notice: 'Note about the workspace',
};

export const sourceText = (source: string): string => SOURCES[source] ?? source;

/** Words for why a message was not sent. */
const OMISSIONS: Readonly<Record<string, string>> = {
  over_budget: 'Dropped: the window of the model had no room',
  summarised: 'The summary stands for it',
  not_read: 'Older than what the window has room for',
};

export const omissionText = (reason: string): string => OMISSIONS[reason] ?? reason;
