import { type SessionMessagePart, SessionMessagePartType as Type } from '@svc/api/data';

/** Parts behind the last tool call: what of a reply goes to a platform. */
const spoken = (parts: readonly SessionMessagePart[]): readonly SessionMessagePart[] => {
  const last = parts.findLastIndex(({ partType }) => partType === Type.TOOL_CALL || partType === Type.TOOL_RESULT);
  return parts.slice(last + 1).filter(({ partType }) => partType === Type.TEXT);
};

/** The text of a reply that goes to a platform. */
export const replyText = (parts: readonly SessionMessagePart[]): string =>
  spoken(parts)
    .map(({ content }) => content)
    .join('');

/** The parts of a reply with another text; its files and what it said before a tool call stay. */
export const withReplyText = (
  parts: readonly SessionMessagePart[],
  content: string,
): (Pick<SessionMessagePart, 'partType' | 'content'> | SessionMessagePart)[] => {
  const [first, ...rest] = spoken(parts);
  if (first === undefined) return [...parts, { partType: Type.TEXT, content }];
  return parts.filter((part) => !rest.includes(part)).map((part) => (part === first ? { ...part, content } : part));
};
