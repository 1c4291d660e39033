import {
  type BodyForm,
  isJsonObject,
  isTextPart,
  type Json,
  mergeMember,
  openMessage,
  partsOf,
  takeMessage,
  textOf,
} from '../../../operations/index.ts';

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A sent message is the user's; said of it anything else is an unknown field. */
const isUserRole = (role: unknown): boolean => role === 1 || (typeof role === 'string' && /^(role_)?user$/i.test(role));

/** SendMessage: message text in `message`, everything else in `parts`. */
export const sentMessageBody: BodyForm = () => (body) => {
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
export const appendedMessageBody: BodyForm = () => (body) => {
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

/** UpdateSessionMessage: parts in their short form. */
export const messagePartsBody: BodyForm = () => (body) =>
  'parts' in body ? { ...body, parts: partsOf(body['parts']) } : body;
