import type { ReplyMode } from '../subscription/index.ts';

/** A message of a channel as an agent reads it. */
export interface ReadMessage {
  readonly id: string;
  readonly authorKind: string;
  readonly author: string;
  readonly content: string;
}

/** What an agent has to know when a channel begins a session of it. */
export interface TurnStart {
  readonly channel: string;
  readonly title: string;
  readonly agent: string;
  readonly replyMode: ReplyMode;
  readonly trigger: ReadMessage;
  /** Messages before it, oldest first; undefined where the subscription wants none. */
  readonly before: readonly ReadMessage[] | undefined;
}

/** Characters of one message before the trigger, and bytes of all. */
const LINE_CHARS = 2_000;
const CONTEXT_BYTES = 32 * 1_024;

const RULES: Readonly<Record<ReplyMode, string>> = {
  tool: 'Your final text is not shown in the channel. Call channel_publish to answer there, or channel_skip_reply when no answer is needed.',
  auto: 'Your final text is published in the channel, unless you call channel_publish or channel_skip_reply.',
  none: 'You cannot answer in the channel; your final text is not shown there.',
};

/** The text of the turn that a message of a channel begins. */
export const turnText = (start: TurnStart): string => {
  const { channel, title, agent, replyMode, trigger, before } = start;
  const head = [
    `Message in channel ${channel}${title === '' ? '' : ` (${title})`}. You are ${agent}.`,
    RULES[replyMode],
    '',
    `Message ${trigger.id} of ${trigger.authorKind} ${trigger.author === '' ? '(no name)' : trigger.author}:`,
    trigger.content,
  ].join('\n');
  if (before === undefined || before.length === 0) return head;
  return [head, '', 'Messages before it, oldest first:', ...contextLines(before)].join('\n');
};

/** One line for each message; of too many the oldest are left out. */
const contextLines = (before: readonly ReadMessage[]): readonly string[] => {
  const lines: string[] = [];
  let bytes = 0;
  for (const message of before.toReversed()) {
    const line = contextLine(message);
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > CONTEXT_BYTES) break;
    lines.unshift(line);
  }
  return lines;
};

const contextLine = ({ authorKind, author, content }: ReadMessage): string => {
  const text = content.length > LINE_CHARS ? `${content.slice(0, LINE_CHARS)}…` : content;
  return `${authorKind}:${author}: ${text.replaceAll('\n', ' ')}`;
};
