import { createHash } from 'node:crypto';
import {
  decodingDataUrl,
  Fault,
  type FieldViolation,
  hasMoreValuesThan,
  invalidField,
  invalidFields,
  JSON_DEPTH,
  nestsDeeperThan,
  type Steps,
  textOrEmpty,
} from '../../../../base/index.ts';
import type { ChatFile, ChatMessage } from '../ui-deps.ts';

/** What a POST of the chat asks for. */
export type ChatRequest =
  | { readonly kind: 'send'; readonly message: ChatMessage }
  | { readonly kind: 'regenerate'; readonly messageId: string }
  | { readonly kind: 'answer'; readonly answers: readonly ChatAnswer[] };

export interface ChatAnswer {
  readonly requestId: string;
  readonly toolCallId: string;
  readonly allow: boolean;
  readonly comment: string;
}

type Fields = Readonly<Record<string, unknown>>;

const WHEN_BUSY = ['QUEUE', 'STEER', 'REJECT', 'INTERRUPT'] as const;

/**
 * Lists, objects and their values in one body. It bounds the memory that parsing takes: a thread that runs out of memory inside of
 * the parser would end the whole process.
 */
const VALUES_MAX = 200_000;

/** Text that no UTF-8 can hold: a lone surrogate. */
const HALF_CHARACTER = 'holds half a character';

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const partsOf = (message: Fields): readonly Fields[] => {
  const { parts, content } = message;
  if (Array.isArray(parts)) return parts.filter(isFields);
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
};

/** Reads the body; keys that the chat does not know are ignored. JSON_INVALID, FIELD_INVALID, TOO_LARGE. */
export function* readingChatRequest(bytes: Uint8Array): Steps<ChatRequest> {
  const body = parse(bytes);
  const { messages, trigger } = body;
  if (trigger === 'regenerate-message') return { kind: 'regenerate', messageId: textOrEmpty(body['messageId']) };
  if (trigger !== undefined && trigger !== 'submit-message') throw invalidField('trigger', 'is unknown');
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isFields(last)) throw invalidField('messages', 'needs at least one message');
  if (last['role'] === 'assistant') return { kind: 'answer', answers: readAnswers(last) };
  if (last['role'] !== 'user') throw invalidField('messages', 'must end with a user or an assistant message');
  return { kind: 'send', message: yield* readingMessage(last, body) };
}

const parse = (bytes: Uint8Array): Fields => {
  const text = utf8Text(bytes);
  if (nestsDeeperThan(text, JSON_DEPTH))
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', `the body nests deeper than ${JSON_DEPTH}`);
  if (hasMoreValuesThan(text, VALUES_MAX))
    throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `the body has more than ${VALUES_MAX} values`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', 'the body is not JSON', { cause: error });
  }
  if (!isFields(value)) throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', 'the body is not a JSON object');
  return value;
};

const utf8Text = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', 'the body is not UTF-8', { cause: error });
  }
};

function* readingMessage(message: Fields, body: Fields): Steps<ChatMessage> {
  const violations: FieldViolation[] = [];
  const refuse = (field: string, description: string): void => {
    violations.push({ field, description, reason: 'FIELD_INVALID' });
  };
  const files: ChatFile[] = [];
  const texts: string[] = [];
  for (const part of partsOf(message)) {
    if (part['type'] === 'text') texts.push(textOrEmpty(part['text']));
    if (part['type'] !== 'file') continue;
    const source = yield* readingSource(textOrEmpty(part['url']));
    if (typeof source === 'string') refuse('messages', source);
    else files.push({ source, mediaType: textOrEmpty(part['mediaType']), filename: textOrEmpty(part['filename']) });
  }
  const text = texts.join('\n');
  if (text.trim() === '' && files.length === 0) refuse('messages', 'nothing to send');
  const said = [text, ...files.flatMap(({ source, mediaType, filename }) => [urlOf(source), mediaType, filename])];
  if (!said.every((each) => each.isWellFormed())) refuse('messages', HALF_CHARACTER);
  const labels = readLabels(body['labels'], refuse);
  const asked = textOrEmpty(body['whenBusy'] ?? 'QUEUE')
    .toUpperCase()
    .replace('WHEN_BUSY_', '');
  const whenBusy = WHEN_BUSY.find((name) => name === asked);
  if (whenBusy === undefined) refuse('whenBusy', `must be one of ${WHEN_BUSY.join(', ')}`);
  if (violations.length > 0) throw invalidFields(violations);
  return { text, files, labels, whenBusy: whenBusy ?? 'QUEUE' };
}

/** Where the bytes of a file come from, or why they cannot be had; those of a data: url are in the request itself. */
function* readingSource(url: string): Steps<ChatFile['source'] | string> {
  if (url.startsWith('https://')) return { url };
  if (!url.startsWith('data:')) return 'a file needs a data: or https: url';
  const content = yield* decodingDataUrl(url);
  if (content === undefined) return 'a file has no valid data: url';
  return { ...content, sha256: createHash('sha256').update(content.bytes).digest('hex') };
}

const urlOf = (source: ChatFile['source']): string => ('url' in source ? source.url : source.mediaType);

const readLabels = (value: unknown, refuse: (field: string, description: string) => void): Record<string, string> => {
  if (value === undefined || value === null) return {};
  const entries = isFields(value) ? Object.entries(value) : [['', undefined] as const];
  const labels: Record<string, string> = {};
  for (const [key, label] of entries) {
    if (typeof label === 'string') labels[key] = label;
    else refuse('labels', 'must map text to text');
  }
  return labels;
};

const readAnswers = (message: Fields): readonly ChatAnswer[] => {
  const answers: ChatAnswer[] = [];
  for (const part of partsOf(message)) {
    const { state, approval } = part;
    if (state !== 'approval-responded' || !isFields(approval)) continue;
    const requestId = textOrEmpty(approval['id']);
    const allow = approval['approved'] === true;
    const comment = textOrEmpty(approval['reason']);
    if (!comment.isWellFormed()) throw invalidField('messages', HALF_CHARACTER);
    answers.push({ requestId, toolCallId: textOrEmpty(part['toolCallId']), allow, comment });
  }
  if (answers.length === 0) throw invalidField('messages', 'nothing to send: the last message answers no request');
  return answers;
};
