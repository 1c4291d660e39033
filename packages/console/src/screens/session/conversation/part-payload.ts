import type { SessionMessagePart } from '@svc/api/data';

type Payload = Readonly<Record<string, unknown>>;

const parsed = new WeakMap<SessionMessagePart, Payload>();

/** The members of a part's payload; none where it is empty or no object. */
export const payloadOf = (part: SessionMessagePart): Payload => {
  const known = parsed.get(part);
  if (known !== undefined) return known;
  const payload = readPayload(part.payloadJson);
  parsed.set(part, payload);
  return payload;
};

const readPayload = (text: string): Payload => {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

/** A member as text; '' where it is none. */
export const textIn = (part: SessionMessagePart, name: string): string => {
  const value = payloadOf(part)[name];
  return typeof value === 'string' ? value : '';
};

/** A member as number; 0 where it is none. */
export const numberIn = (part: SessionMessagePart, name: string): number => {
  const value = Number(payloadOf(part)[name]);
  return Number.isFinite(value) ? value : 0;
};
