import type { ModelMessage } from '../../models/contract.ts';
import { PART, type Part, type TranscriptMessage } from '../contract.ts';

/** Tokens of the conversation that a new session of a harness learns. */
const TRANSCRIPT_TOKENS = 8_000;
const USER = 1;

const partText = ({ type, content = '', name = '', object }: Part): string => {
  if (type === PART.TEXT || type === PART.COMPACTION) return content;
  return object === undefined || type === PART.TOOL_RESULT ? '' : `[file ${name} (${object.mediaType})]`;
};

const messageText = ({ parts }: TranscriptMessage): string =>
  parts
    .map(partText)
    .filter((text) => text !== '')
    .join('\n');

/** A message that no user wrote: system messages and texts of the platform such as skills. */
const isLeading = ({ role, content }: ModelMessage): boolean =>
  role === 'system' || (role === 'user' && content.every((block) => block.type === 'text' && block.isAdded === true));

/** How many messages open a prompt before the first one that a user or a model wrote. */
export const leadingCount = (messages: readonly ModelMessage[]): number => {
  const end = messages.findIndex((message) => !isLeading(message));
  return end < 0 ? messages.length : end;
};

const leadingText = (messages: readonly ModelMessage[]): string =>
  messages
    .slice(0, leadingCount(messages))
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n\n');

/** A piece of what a harness is sent. */
export interface ToldPiece {
  readonly source: 'transcript' | 'notice';
  readonly role: 'user' | 'assistant';
  /** '' for a notice. */
  readonly messageId: string;
  readonly text: string;
}

const recentLines = (
  transcript: readonly TranscriptMessage[],
  countTokens: (text: string) => number,
): readonly ToldPiece[] => {
  const lines: ToldPiece[] = [];
  let tokens = 0;
  for (const message of transcript.toReversed()) {
    const said = messageText(message);
    if (said === '') continue;
    const role = message.role === USER ? 'user' : 'assistant';
    const text = `${role === 'user' ? 'User' : 'Assistant'}: ${said}`;
    tokens += countTokens(text);
    if (tokens > TRANSCRIPT_TOKENS) break;
    lines.unshift({ source: 'transcript', role, messageId: message.id, text });
  }
  return lines;
};

/** What a harness is prompted with. */
export interface HarnessPrompt {
  /** Messages of the planned prompt, of which the leading ones are used; absent for a session that knows them. */
  readonly planned: readonly ModelMessage[] | undefined;
  /** The whole conversation, the turn's own messages included. */
  readonly transcript: readonly TranscriptMessage[];
  readonly turnId: string;
  readonly isReset: boolean;
  readonly countTokens: (text: string) => number;
}

const RESET: ToldPiece = {
  source: 'notice',
  role: 'user',
  messageId: '',
  text: 'The sandbox was lost and replaced: the workspace was reset, files of earlier turns are gone.',
};

/**
 * The text of a turn for a harness, and its pieces but for the instructions: the turn's messages alone for a session that was continued,
 * else behind instructions and the recent conversation.
 */
export const harnessPrompt = (
  prompt: HarnessPrompt,
): { readonly text: string; readonly pieces: readonly ToldPiece[] } => {
  const { planned, transcript, turnId, isReset, countTokens } = prompt;
  const own = transcript
    .filter((message) => message.turnId === turnId && message.role === USER)
    .map((message): ToldPiece => {
      return { source: 'transcript', role: 'user', messageId: message.id, text: messageText(message) };
    });
  const last = isReset ? [RESET, ...own] : own;
  if (planned === undefined) return { text: last.map(({ text }) => text).join('\n\n'), pieces: last };
  const earlier = recentLines(
    transcript.filter((message) => message.turnId !== turnId),
    countTokens,
  );
  const said = ['The conversation so far:', ...earlier.map(({ text }) => text)].join('\n');
  const blocks = [leadingText(planned), earlier.length === 0 ? '' : said, ...last.map(({ text }) => text)];
  return { text: blocks.filter((text) => text !== '').join('\n\n'), pieces: [...earlier, ...last] };
};
