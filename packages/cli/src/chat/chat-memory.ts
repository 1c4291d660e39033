import { join } from 'node:path';
import type { Host } from '../host.ts';
import { userDirectory } from '../profiles.ts';

/** Conversations remembered; older ones are forgotten, not deleted. */
const REMEMBERED = 100;

/** The conversation of one server and agent. */
export interface ChatPlace {
  readonly server: string;
  readonly namespace: string;
  readonly agent: string;
}

const pathOf = (host: Host): string => join(userDirectory(host, 'state'), 'chats.json');
const keyOf = (place: ChatPlace): string => [place.server, place.namespace, place.agent].join(' ');

const read = (host: Host): [string, string][] => {
  const text = host.files.readText(pathOf(host));
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  } catch (error) {
    // Losing this file costs one call of `svc session list`; it must not keep anyone from chatting.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
};

/** The session of the last chat, so that `svc chat` continues it. */
export const recallChat = (host: Host, place: ChatPlace): string | undefined => new Map(read(host)).get(keyOf(place));

/** Keeps the session for `recallChat`; the oldest entries are dropped. */
export const rememberChat = (host: Host, place: ChatPlace, sessionId: string): void => {
  const key = keyOf(place);
  const others = read(host).filter(([known]) => known !== key);
  const kept = [...others, [key, sessionId]].slice(-REMEMBERED);
  host.files.writeText(pathOf(host), `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`, 0o600);
};
