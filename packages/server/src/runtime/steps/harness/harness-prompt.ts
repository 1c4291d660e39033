import type { ModelMessage } from '../../../models/contract.ts';
import { PART, type Part, type TranscriptMessage } from '../../contract.ts';

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

/** Text of what opens a prompt: system messages and skills, which no user wrote. */
const leadingText = (messages: readonly ModelMessage[]): string => {
  const isLeading = ({ role, content }: ModelMessage): boolean =>
    role === 'system' || (role === 'user' && content.every((block) => block.type === 'text' && block.isAdded === true));
  const end = messages.findIndex((message) => !isLeading(message));
  return messages
    .slice(0, end < 0 ? messages.length : end)
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n\n');
};

const recentLines = (
  transcript: readonly TranscriptMessage[],
  countTokens: (text: string) => number,
): readonly string[] => {
  const lines: string[] = [];
  let tokens = 0;
  for (const message of transcript.toReversed()) {
    const text = messageText(message);
    if (text === '') continue;
    const line = `${message.role === USER ? 'User' : 'Assistant'}: ${text}`;
    tokens += countTokens(line);
    if (tokens > TRANSCRIPT_TOKENS) break;
    lines.unshift(line);
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

const RESET_NOTE = 'The sandbox was lost and replaced: the workspace was reset, files of earlier turns are gone.';

/** The text of a turn for a harness: alone for a session that was continued, else behind instructions and the recent conversation. */
export const harnessPromptText = (prompt: HarnessPrompt): string => {
  const { planned, transcript, turnId, isReset, countTokens } = prompt;
  const own = transcript.filter((message) => message.turnId === turnId && message.role === USER).map(messageText);
  const note = isReset ? [RESET_NOTE] : [];
  if (planned === undefined) return [...note, ...own].join('\n\n');
  const earlier = recentLines(
    transcript.filter((message) => message.turnId !== turnId),
    countTokens,
  );
  const blocks = [
    leadingText(planned),
    ...(earlier.length === 0 ? [] : [['The conversation so far:', ...earlier].join('\n')]),
    ...note,
    ...own,
  ];
  return blocks.filter((text) => text !== '').join('\n\n');
};
