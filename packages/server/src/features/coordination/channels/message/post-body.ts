import {
  type BodyForm,
  isJsonObject,
  type Json,
  mergeMember,
  openMessage,
  takeMessage,
  textOf,
} from '../../../../operations/index.ts';

/** PostChannelMessage: text in `content`. */
export const postBody: BodyForm = () => (body) => {
  const json: Json = { ...body };
  const message = takeMessage(json);
  if (message === undefined) return json;
  if (!isJsonObject(message) && !Array.isArray(message)) return { ...json, content: message };
  const { parts, rest } = openMessage(Array.isArray(message) ? { parts: message } : message);
  for (const key of Object.keys(rest)) mergeMember(json, key, { value: rest[key], at: `message.${key}` });
  return { ...json, content: textOf(parts ?? []) ?? '' };
};
