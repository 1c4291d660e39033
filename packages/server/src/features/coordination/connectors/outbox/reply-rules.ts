import { createHash } from 'node:crypto';
import type { MessageConsumer } from '@svc/api/data';
import { isRecord, textOrEmpty } from '../../../../base/index.ts';
import { type ObjectData, PART, type Part } from '../../../../runtime/contract.ts';
import type { ConnectorContext } from '../context/index.ts';

/** How replies reach the platform. */
export type ReplyMode = 'auto' | 'thread' | 'hold_for_review' | 'none';

const MODES: ReadonlySet<string> = new Set(['auto', 'thread', 'hold_for_review', 'none']);

/** The mode that a stored text acts as: what is not known acts as `auto`. */
export const replyModeOf = (text: string): ReplyMode => {
  if (text === 'review') return 'hold_for_review';
  return MODES.has(text) ? (text as ReplyMode) : 'auto';
};

/** What of a connector answers to events: the text that says how. */
export const consumerMode = (consumer: MessageConsumer | undefined): string | undefined =>
  consumer?.session?.replyMode ?? consumer?.channel?.replyPolicy ?? consumer?.workflow?.replyMode;

/** Where a reply goes. */
export interface ReplyPlace {
  readonly conversationId: string;
  /** '' outside of threads. */
  readonly threadId: string;
  /** The message that is answered. */
  readonly replyTo: string;
}

/** The conversation, thread and message of the event; in mode `thread` a message outside of threads begins one. */
export const replyPlace = ({ conversationId, threadId, messageId }: ConnectorContext, mode: ReplyMode): ReplyPlace => ({
  conversationId,
  threadId: threadId === '' && mode === 'thread' ? messageId : threadId,
  replyTo: messageId,
});

/** Messages of one lane are sent in order: those of one registration, conversation and thread. */
export const laneOf = (classUid: string, { conversationId, threadId }: Omit<ReplyPlace, 'replyTo'>): string =>
  createHash('sha256')
    .update(JSON.stringify([classUid, conversationId, threadId]))
    .digest('base64url');

/** Whether nothing is to be delivered: no text and no file, or a text that means silence. */
export const isSilent = (
  { text, attachments }: { readonly text: string; readonly attachments: readonly unknown[] },
  silenceTokens: readonly string[],
): boolean => {
  const whole = text.trim().toLowerCase();
  return whole === '' ? attachments.length === 0 : silenceTokens.some((token) => token.toLowerCase() === whole);
};

const CALLS: ReadonlySet<number> = new Set([
  PART.TOOL_CALL,
  PART.TOOL_RESULT,
  PART.REQUEST_PERMISSION,
  PART.PERMISSION_RESULT,
]);
const FILES: ReadonlySet<number> = new Set([PART.IMAGE, PART.AUDIO, PART.VIDEO, PART.FILE]);

/** Files of the last step of a message: those after its last call. */
export const filesOf = (parts: readonly Part[]): readonly ObjectData[] =>
  parts
    .slice(parts.findLastIndex(({ type }) => CALLS.has(type)) + 1)
    .flatMap(({ type, object }) => (FILES.has(type) && object !== undefined ? [object] : []));

/** What the output of a run replies. */
export interface RunReply {
  readonly text: string;
  readonly attachments: readonly ObjectData[];
  /** Why something of it cannot be sent, by member. */
  readonly problems: readonly string[];
}

/** The reply in the output of a run: its member `reply`, a text or `{text, silent, attachments}`; undefined for none. */
export const replyInOutput = (output: unknown): RunReply | undefined => {
  const reply = (isRecord(output) ? output['reply'] : undefined) ?? undefined;
  if (reply === undefined) return undefined;
  if (typeof reply === 'string') return { text: reply.trim(), attachments: [], problems: [] };
  if (!isRecord(reply))
    return {
      text: '',
      attachments: [],
      problems: ['reply: is neither a text nor an object with text, silent and attachments'],
    };
  if (reply['silent'] === true) return undefined;
  const text = reply['text'] ?? '';
  const files = filesInOutput(reply['attachments'] ?? []);
  if (typeof text === 'string') return { ...files, text: text.trim() };
  return { ...files, text: '', problems: ['reply.text: is not a text', ...files.problems] };
};

const filesInOutput = (attachments: unknown): Pick<RunReply, 'attachments' | 'problems'> => {
  if (!Array.isArray(attachments)) return { attachments: [], problems: ['reply.attachments: is not a list'] };
  const files: ObjectData[] = [];
  const problems: string[] = [];
  for (const [index, value] of attachments.entries()) {
    const file = fileOf(value);
    if (file === undefined) problems.push(`reply.attachments[${index}]: has no key and sha256`);
    else files.push(file);
  }
  return { attachments: files, problems };
};

/** A file as events and tools show it: an ObjectRef in JSON; it needs the key and the hash. */
const fileOf = (value: unknown): ObjectData | undefined => {
  if (!isRecord(value)) return undefined;
  const [key, sha256, mediaType, filename] = ['key', 'sha256', 'mediaType', 'filename'].map((field) =>
    textOrEmpty(value[field]),
  ) as [string, string, string, string];
  const size = Number(value['sizeBytes']);
  const sizeBytes = Number.isSafeInteger(size) ? size : 0;
  return key === '' || sha256 === '' ? undefined : { key, sha256, mediaType, sizeBytes, filename };
};
