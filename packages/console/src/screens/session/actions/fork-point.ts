import { type SessionMessagePart, SessionMessagePartType as Type } from '@svc/api/data';
import { valueLines } from '../../../ui/value-lines.ts';
import type { ThreadMessage } from '../conversation/index.ts';

/** The message of a person that a reply answers: the nearest before it. */
export const askedBefore = (messages: readonly ThreadMessage[], id: string): ThreadMessage | undefined =>
  messages
    .slice(
      0,
      Math.max(
        0,
        messages.findIndex((message) => message.id === id),
      ),
    )
    .findLast(({ role }) => role === 'user');

const FILES: readonly Type[] = [Type.IMAGE, Type.AUDIO, Type.VIDEO, Type.FILE];

/** The files of a message as parts of another one, which refers to the same bytes. */
export const filesOf = (
  message: ThreadMessage,
): Pick<SessionMessagePart, 'partType' | 'name' | 'payloadJson' | 'object'>[] =>
  message.parts
    .filter(({ partType }) => FILES.includes(partType))
    .map(({ partType, name, payloadJson, object }) => ({ partType, name, payloadJson, object }));

/** Labels in lines that `valuesOf` reads back; the labels that the server writes are left out. */
export const labelLines = (labels: Readonly<Record<string, string>>): string =>
  valueLines(Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('svc/'))));
