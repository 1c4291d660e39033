import {
  MessageRole,
  type SessionMessage,
  type SessionMessagePart,
  SessionMessagePartType as Type,
} from '@svc/api/data';
import type { ShownMessage } from '@svc/client';
import { numberIn, payloadOf, textIn } from './part-payload.ts';

/** A message as the thread shows it, finished or not. */
export interface ThreadMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly SessionMessagePart[];
  /** Unix microseconds; 0 while it is being written. */
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly isLive: boolean;
}

/** Tokens and calls of a message. */
export interface MessageUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Millionths of the unit of the prices; undefined without a price. */
  readonly costMicros: number | undefined;
}

interface RowBase {
  /** Stays the same while the message grows and when it is stored. */
  readonly key: string;
  readonly message: ThreadMessage;
}

/** One piece of the thread, from its beginning to its end. */
export type ThreadRow = RowBase &
  (
    | { readonly kind: 'head' }
    | { readonly kind: 'text' | 'reasoning' | 'media' | 'error' | 'compaction'; readonly part: SessionMessagePart }
    | { readonly kind: 'tool'; readonly call: SessionMessagePart; readonly result: SessionMessagePart | undefined }
    | { readonly kind: 'request'; readonly part: SessionMessagePart; readonly answer: SessionMessagePart | undefined }
    | { readonly kind: 'usage'; readonly usage: MessageUsage }
    | { readonly kind: 'review' }
  );

const ROLES: Readonly<Record<MessageRole, ThreadMessage['role']>> = {
  [MessageRole.ROLE_UNSPECIFIED]: 'assistant',
  [MessageRole.ROLE_USER]: 'user',
  [MessageRole.ROLE_ASSISTANT]: 'assistant',
  [MessageRole.ROLE_SYSTEM]: 'system',
};

/** Label of a reply that goes to a platform. */
export const DELIVERY_LABEL = 'svc/connector-delivery-status';
const HELD = 'pending_review';

/** Stored and growing messages in the order of the conversation. */
export const threadMessages = (
  stored: readonly SessionMessage[],
  live: readonly ShownMessage[],
): readonly ThreadMessage[] => {
  const isLive = new Set(live.map(({ id }) => id));
  const finished = stored.filter(({ id }) => !isLive.has(id)).map(finishedMessage);
  const growing = live.map(({ id, role, parts, turnId }) => ({
    id,
    role,
    parts,
    createdAt: 0n,
    labels: { 'svc/turn': turnId },
    isLive: true,
  }));
  return growing.length === 0 ? finished : [...finished, ...growing].sort((a, b) => (a.id < b.id ? -1 : 1));
};

const known = new WeakMap<SessionMessage, ThreadMessage>();

const finishedMessage = (message: SessionMessage): ThreadMessage => {
  const before = known.get(message);
  if (before !== undefined) return before;
  const { id, role, parts, createdAt, labels } = message;
  const made = { id, role: ROLES[role], parts, createdAt, labels, isLive: false };
  known.set(message, made);
  return made;
};

const madeRows = new WeakMap<ThreadMessage, readonly ThreadRow[]>();

/** The rows of a thread; those of a finished message are made once. */
export const threadRows = (messages: readonly ThreadMessage[]): readonly ThreadRow[] =>
  messages.flatMap((message) => {
    const made = madeRows.get(message) ?? rowsOf(message);
    madeRows.set(message, made);
    return made;
  });

const rowsOf = (message: ThreadMessage): readonly ThreadRow[] => {
  const base = { message };
  const rows: ThreadRow[] = [{ ...base, key: `${message.id} head`, kind: 'head' }];
  const results = byMember(message.parts, Type.TOOL_RESULT, 'tool_call_id');
  const answers = byMember(message.parts, Type.PERMISSION_RESULT, 'request_id');
  for (const part of message.parts) {
    const key = `${message.id} ${part.id}`;
    const row = rowOf(part, results, answers);
    if (row !== undefined) rows.push({ ...base, key, ...row });
  }
  if (message.labels[DELIVERY_LABEL] === HELD) rows.push({ ...base, key: `${message.id} review`, kind: 'review' });
  const usage = usageOf(message.parts);
  if (usage !== undefined) rows.push({ ...base, key: `${message.id} usage`, kind: 'usage', usage });
  return rows;
};

type PartIndex = ReadonlyMap<string, SessionMessagePart>;
type RowContent<R = ThreadRow> = R extends ThreadRow ? Omit<R, keyof RowBase> : never;

const rowOf = (part: SessionMessagePart, results: PartIndex, answers: PartIndex): RowContent | undefined => {
  switch (part.partType) {
    case Type.TEXT:
      return part.content === '' ? undefined : { kind: 'text', part };
    case Type.REASONING:
      return part.content === '' ? undefined : { kind: 'reasoning', part };
    case Type.TOOL_CALL:
      return { kind: 'tool', call: part, result: results.get(textIn(part, 'tool_call_id')) };
    case Type.IMAGE:
    case Type.AUDIO:
    case Type.VIDEO:
    case Type.FILE:
      return { kind: 'media', part };
    case Type.REQUEST_PERMISSION:
      return { kind: 'request', part, answer: answers.get(textIn(part, 'request_id')) };
    case Type.ERROR:
      return { kind: 'error', part };
    case Type.COMPACTION:
      return { kind: 'compaction', part };
    default:
      return undefined;
  }
};

const byMember = (parts: readonly SessionMessagePart[], type: Type, member: string): PartIndex =>
  new Map(parts.filter(({ partType }) => partType === type).map((part) => [textIn(part, member), part]));

const usageOf = (parts: readonly SessionMessagePart[]): MessageUsage | undefined => {
  const calls = parts.filter(({ partType }) => partType === Type.USAGE);
  if (calls.length === 0) return undefined;
  const sum = (name: string): number => calls.reduce((total, part) => total + numberIn(part, name), 0);
  const hasCost = calls.some((part) => payloadOf(part)['cost_micros'] !== undefined);
  return {
    calls: calls.length,
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    costMicros: hasCost ? sum('cost_micros') : undefined,
  };
};

/** What a person who only talks is shown: no thoughts, tools and counts. */
export const plainRows = (rows: readonly ThreadRow[]): readonly ThreadRow[] =>
  rows.filter(({ kind }) => kind !== 'reasoning' && kind !== 'tool' && kind !== 'usage' && kind !== 'compaction');

/** Whether a message ends in a question without an answer. */
export const isWaiting = ({ parts }: ThreadMessage): boolean => {
  const asked = parts.filter(({ partType }) => partType === Type.REQUEST_PERMISSION);
  const answers = byMember(parts, Type.PERMISSION_RESULT, 'request_id');
  return asked.some((part) => !answers.has(textIn(part, 'request_id')));
};

/** The words of a message, without thoughts and tools. */
export const wordsOf = (message: ThreadMessage): string =>
  message.parts
    .filter(({ partType }) => partType === Type.TEXT)
    .map(({ content }) => content)
    .join('\n\n');
