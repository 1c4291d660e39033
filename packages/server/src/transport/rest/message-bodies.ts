import { invalidField } from '../../base/index.ts';
import { isJsonObject } from '../codec/index.ts';
import { saidTwice } from './bind-path.ts';
import { mergeMember } from './merge-json.ts';

type Json = Record<string, unknown>;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A sent message is the user's; said of it anything else is an unknown field. */
const isUserRole = (role: unknown): boolean => role === 1 || (typeof role === 'string' && /^(role_)?user$/i.test(role));

const spellings = ['message', 'text', 'content'] as const;

/** A part may be written `{type, text}`. */
const partOf = (part: unknown): unknown => {
  if (!isJsonObject(part)) return part;
  const { type, text, ...rest } = part;
  if (type !== undefined)
    mergeMember(rest, 'partType' in rest || !('part_type' in rest) ? 'partType' : 'part_type', {
      value: type,
      at: 'type',
    });
  if (text !== undefined) mergeMember(rest, 'content', { value: text, at: 'text' });
  return rest;
};

/** More parts than any message may have; so many are refused before each of them is checked. */
const PARTS_MAX = 1_000;

const partsOf = (parts: unknown): unknown => {
  if (!Array.isArray(parts)) return parts;
  if (parts.length > PARTS_MAX) throw invalidField('parts', `more than ${PARTS_MAX} parts`);
  return parts.map(partOf);
};

const textPart = (text: string): Json => ({ partType: 'TEXT', content: text });

const isTextPart = (part: unknown): part is Json => {
  if (!isJsonObject(part)) return false;
  const type = part['partType'] ?? part['part_type'];
  return typeof type === 'string' ? /^(session_message_part_type_)?text$/i.test(type) : type === 1;
};

/** The one message of a body, whichever of the three names it has; two that differ are refused. */
const takeMessage = (body: Json): unknown => {
  const given = spellings.filter((name) => body[name] !== undefined && body[name] !== null);
  const [first, ...others] = given.map((name) => body[name]);
  for (const name of spellings) delete body[name];
  for (const other of others) if (JSON.stringify(other) !== JSON.stringify(first)) throw saidTwice('message');
  return first;
};

/** A message as an object: its parts, and the members that are not text or parts. */
const openMessage = (message: Json): { parts: unknown[] | undefined; rest: Json } => {
  const { parts, content, text, ...rest } = message;
  const said = [parts, content, text].filter((value) => value !== undefined && value !== null);
  const lists = said.map((value) => (typeof value === 'string' ? [textPart(value)] : partsOf(value)));
  const [first, ...others] = lists;
  for (const other of others) if (JSON.stringify(other) !== JSON.stringify(first)) throw saidTwice('message');
  if (first === undefined) return { parts: undefined, rest };
  return Array.isArray(first) ? { parts: first, rest } : { parts: undefined, rest: { ...rest, parts: first } };
};

/** Texts of the TEXT parts, one per line; undefined when there is none. */
const textOf = (parts: readonly unknown[]): string | undefined => {
  const texts = parts.filter(isTextPart).map((part) => String(part['content'] ?? ''));
  return texts.length === 0 ? undefined : texts.join('\n');
};

/** SendMessage: message text in `message`, everything else in `parts`. */
export const bindSendMessage = (body: Json): Json => {
  const json: Json = { ...body };
  const message = takeMessage(json);
  const ownParts = partsOf(json['parts']);
  if (ownParts !== undefined) json['parts'] = ownParts;
  if (message === undefined) return liftText(json);
  if (Array.isArray(message)) return liftText(addParts(json, partsOf(message) as unknown[]));
  if (!isJsonObject(message)) return { ...json, message };
  const { parts, rest } = openMessage(message);
  if (isUserRole(rest['role'])) delete rest['role'];
  for (const key of Object.keys(rest)) mergeMember(json, key, { value: rest[key], at: `message.${key}` });
  return liftText(addParts(json, parts ?? []));
};

const addParts = (json: Json, parts: readonly unknown[]): Json => {
  const own = Array.isArray(json['parts']) ? json['parts'] : [];
  return { ...json, parts: [...parts, ...own] };
};

/** TEXT parts become the message text, which is stored as the first part. */
const liftText = (json: Json): Json => {
  const { parts } = json;
  if (!Array.isArray(parts) || json['message'] !== undefined) return json;
  const message = textOf(parts);
  return message === undefined ? json : { ...json, message, parts: parts.filter((part) => !isTextPart(part)) };
};

/** AppendSessionMessage: a SessionMessage, or only its text, then the parts next to it. */
export const bindAppendMessage = (body: Json): Json => {
  const json: Json = { ...body };
  const message = takeMessage(json);
  const { parts, ...own } = json;
  const said = [message, isAbsent(parts) ? undefined : { parts }].filter((each) => each !== undefined);
  if (said.length === 0) return json;
  const opened = said.map((each) => openMessage(isJsonObject(each) ? each : { parts: each }));
  const lists = opened.flatMap((each) => (each.parts === undefined ? [] : [each.parts]));
  const [first, second] = opened;
  const whole = lists.length === 0 ? {} : { parts: lists.flat() };
  return { ...own, message: { ...whole, ...first?.rest, ...second?.rest } };
};

/** PostChannelMessage: text in `content`. */
export const bindChannelMessage = (body: Json): Json => {
  const json: Json = { ...body };
  const message = takeMessage(json);
  if (message === undefined) return json;
  if (!isJsonObject(message) && !Array.isArray(message)) return { ...json, content: message };
  const { parts, rest } = openMessage(Array.isArray(message) ? { parts: message } : message);
  for (const key of Object.keys(rest)) mergeMember(json, key, { value: rest[key], at: `message.${key}` });
  return { ...json, content: textOf(parts ?? []) ?? '' };
};

/** UpdateSessionMessage: parts in their short form. */
export const bindMessageParts = (body: Json): Json =>
  'parts' in body ? { ...body, parts: partsOf(body['parts']) } : body;
