import { type SessionMessagePart, SessionMessagePartType as Type } from '@svc/api/data';
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

/** Labels in lines of `key=value`; a line without `=` has an empty value. */
export const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf('=');
        return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

/** The lines that `labelsOf` reads back; the labels that the server writes are left out. */
export const labelLines = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([name]) => !name.startsWith('svc/'))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
