import { invalidField } from '../../base/index.ts';
import type { Json } from './body-form.ts';
import { isJsonObject } from './json-object.ts';
import { mergeMember, saidTwice } from './merge-json.ts';

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

/** The parts of a message in their long form; anything but a list is left to the decoder. */
export const partsOf = (parts: unknown): unknown => {
  if (!Array.isArray(parts)) return parts;
  if (parts.length > PARTS_MAX) throw invalidField('parts', `more than ${PARTS_MAX} parts`);
  return parts.map(partOf);
};

const textPart = (text: string): Json => ({ partType: 'TEXT', content: text });

/** True for a part of type TEXT, in any spelling of it. */
export const isTextPart = (part: unknown): part is Json => {
  if (!isJsonObject(part)) return false;
  const type = part['partType'] ?? part['part_type'];
  return typeof type === 'string' ? /^(session_message_part_type_)?text$/i.test(type) : type === 1;
};

/** The one message of a body, whichever of the three names it has; two that differ are refused. */
export const takeMessage = (body: Json): unknown => {
  const given = spellings.filter((name) => body[name] !== undefined && body[name] !== null);
  const [first, ...others] = given.map((name) => body[name]);
  for (const name of spellings) delete body[name];
  for (const other of others) if (JSON.stringify(other) !== JSON.stringify(first)) throw saidTwice('message');
  return first;
};

/** A message as an object: its parts, and the members that are not text or parts. */
export const openMessage = (message: Json): { parts: unknown[] | undefined; rest: Json } => {
  const { parts, content, text, ...rest } = message;
  const said = [parts, content, text].filter((value) => value !== undefined && value !== null);
  const lists = said.map((value) => (typeof value === 'string' ? [textPart(value)] : partsOf(value)));
  const [first, ...others] = lists;
  for (const other of others) if (JSON.stringify(other) !== JSON.stringify(first)) throw saidTwice('message');
  if (first === undefined) return { parts: undefined, rest };
  return Array.isArray(first) ? { parts: first, rest } : { parts: undefined, rest: { ...rest, parts: first } };
};

/** Texts of the TEXT parts, one per line; undefined when there is none. */
export const textOf = (parts: readonly unknown[]): string | undefined => {
  const texts = parts.filter(isTextPart).map((part) => String(part['content'] ?? ''));
  return texts.length === 0 ? undefined : texts.join('\n');
};
