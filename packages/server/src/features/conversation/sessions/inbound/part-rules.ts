import type { SessionMessagePart } from '@svc/api/data';
import { type FieldViolation, oversize, parseJsonText, violation } from '../../../../base/index.ts';
import { PART, type Part } from '../../../../runtime/contract.ts';

/** Bounds of one message. */
const MESSAGE_PARTS = 64;
const MESSAGE_ATTACHMENTS = 20;
export const ATTACHMENT_BYTES = 25 * 1024 * 1024;
const TYPES = Object.keys(PART).length;

/** True for parts that carry bytes. */
export const isMedia = (type: number): boolean =>
  type === PART.IMAGE || type === PART.AUDIO || type === PART.VIDEO || type === PART.FILE;

type Payload = Readonly<Record<string, unknown>>;

/** Payloads by part, for each rule asks for them again and one may hold a picture of megabytes. */
const payloads = new WeakMap<SessionMessagePart, { readonly text: string; readonly payload: Payload | undefined }>();

/** Payload of a part as an object; undefined when the text is not a JSON object. */
const payloadOf = (part: SessionMessagePart): Payload | undefined => {
  const known = payloads.get(part);
  if (known?.text === part.payloadJson) return known.payload;
  const payload = parsePayload(part.payloadJson);
  payloads.set(part, { text: part.payloadJson, payload });
  return payload;
};

const parsePayload = (text: string): Payload | undefined => {
  if (text === '') return {};
  try {
    const value: unknown = parseJsonText(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : undefined;
  } catch {
    return undefined;
  }
};

/** Where the bytes of a part are to be taken from; '' when its payload names no place. */
export const urlOf = (part: SessionMessagePart): string => {
  const url = payloadOf(part)?.['url'];
  return typeof url === 'string' ? url : '';
};

/** Size of one message's text (`limits.messageBytes`). */
export const checkTextSize = (
  texts: readonly string[],
  field: string,
  limitBytes: number,
): readonly FieldViolation[] => {
  let bytes = 0;
  for (const text of texts) bytes += text.length * 3 <= limitBytes ? text.length : Buffer.byteLength(text);
  return bytes > limitBytes ? [oversize(field, limitBytes, 'limits.messageBytes')] : [];
};

/** The parts to be judged one by one: those beyond the limit are refused by their count. */
export const countedParts = (parts: readonly SessionMessagePart[]): readonly SessionMessagePart[] =>
  parts.slice(0, MESSAGE_PARTS);

/** Counts of parts and attachments of one message. */
export const checkPartCounts = (parts: readonly SessionMessagePart[], field: string): readonly FieldViolation[] => [
  ...(parts.length > MESSAGE_PARTS ? [violation(field, `more than ${MESSAGE_PARTS} parts`)] : []),
  ...(parts.filter((part) => isMedia(part.partType)).length > MESSAGE_ATTACHMENTS
    ? [violation(field, `more than ${MESSAGE_ATTACHMENTS} attachments`)]
    : []),
];

const checkMedia = (part: SessionMessagePart, at: string): readonly FieldViolation[] => {
  const url = urlOf(part);
  if (part.object === undefined && url === '') return [violation(at, 'needs an object or a payload with url')];
  if (part.object !== undefined || url.startsWith('data:') || url.startsWith('https://')) return [];
  return [violation(`${at}.payloadJson`, 'url must be a data: or https: url')];
};

/** A part of a message to be sent: text, or media with an object or a url. */
export const checkSentPart = (part: SessionMessagePart, at: string): readonly FieldViolation[] => {
  if (payloadOf(part) === undefined) return [violation(`${at}.payloadJson`, 'is not a JSON object')];
  if (isMedia(part.partType)) return checkMedia(part, at);
  if (part.partType !== PART.TEXT) return [violation(`${at}.partType`, 'must be TEXT, IMAGE, AUDIO, VIDEO or FILE')];
  return part.content.trim() === '' ? [violation(`${at}.content`, 'must not be blank')] : [];
};

/** A part of a message written as it is: appended or edited. */
export const checkWrittenPart = (part: SessionMessagePart, at: string): readonly FieldViolation[] => {
  if (part.partType < 1 || part.partType > TYPES) return [violation(`${at}.partType`, 'is not a part type')];
  if (payloadOf(part) === undefined) return [violation(`${at}.payloadJson`, 'is not a JSON object')];
  if (isMedia(part.partType)) return checkMedia(part, at);
  const isText = part.partType === PART.TEXT || part.partType === PART.REASONING;
  return isText && part.content === '' ? [violation(`${at}.content`, 'must not be empty')] : [];
};

/** A part to store, its object set apart. */
export const plainPart = (
  part: SessionMessagePart,
  facts: { readonly id: string; readonly createdAt: number },
): Part => {
  const payload = payloadOf(part) ?? {};
  return {
    id: facts.id,
    type: part.partType as Part['type'],
    ...(part.content === '' ? {} : { content: part.content }),
    ...(part.name === '' ? {} : { name: part.name }),
    ...(Object.keys(payload).length === 0 ? {} : { payload }),
    createdAt: facts.createdAt,
  };
};
