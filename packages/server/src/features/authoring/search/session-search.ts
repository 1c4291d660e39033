import { isUuid } from '../../../base/index.ts';
import { PART, type Part } from '../../../runtime/contract.ts';
import type { MessageRow, SessionRow, Store } from '../../../store/contracts/index.ts';
import { jsonResult, shownTime, textPart } from '../../../tools/authority-contract.ts';
import type { ToolContext } from '../../../tools/contract.ts';
import type { SearchSource } from './search-contract.ts';

/** What one search reads: the sessions used last, and of each the newest messages. */
const SESSIONS_READ = 50;
const MESSAGES_READ = 100;
const SNIPPET_CHARS = 240;
const LEAD_CHARS = 80;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Messages of the agent's other sessions. There is no index of messages: the newest of the sessions used last are read. */
export const sessionSearch = ({ store }: { readonly store: Pick<Store, 'direct'> }): SearchSource => ({
  kind: 'sessions',
  find: async (context, { query, limit }) => {
    const { namespace, agent, sessionId } = context;
    const words = [...new Set(wordsOf(query))];
    const sessions = await store.direct.log.sessions({ namespace, agent, limit: SESSIONS_READ });
    const found = [];
    for (const session of sessions.filter(({ id }) => id !== sessionId)) {
      context.signal.throwIfAborted();
      for (const message of await store.direct.log.messagesBefore(session.id, undefined, MESSAGES_READ)) {
        const text = textOf(message);
        const score = share(text, words);
        if (score > 0) found.push({ ...placeOf(session, message), snippet: snippetOf(text, words), score });
      }
    }
    return found.sort((left, right) => right.score - left.score || right.updatedAt - left.updatedAt).slice(0, limit);
  },
  open: async (context, ref, part) => {
    const [, sessionId = '', id = ''] = /^session:\/\/([^/]+)\/([^/]+)$/.exec(ref) ?? [];
    const session = isUuid(sessionId) ? await store.direct.log.session(sessionId) : undefined;
    if (session === undefined || !isOwn(context, session)) return undefined;
    const message = await store.direct.log.message(sessionId, id);
    if (message === undefined) return undefined;
    return jsonResult({
      ref,
      session_id: sessionId,
      role: ROLES[message.role] ?? '',
      created_at: shownTime(message.createdAt),
      ...textPart(textOf(message), part),
    });
  },
});

const ROLES: Readonly<Record<number, string>> = { 1: 'user', 2: 'assistant' };

const isOwn = ({ namespace, agent }: ToolContext, session: SessionRow): boolean =>
  session.namespace === namespace && session.agent === agent;

const placeOf = (session: SessionRow, message: MessageRow) => ({
  ref: `session://${session.id}/${message.id}`,
  title: `${ROLES[message.role] ?? 'message'} in session ${session.id}`,
  updatedAt: message.createdAt,
});

/** What people and the model said; nothing of tools. */
const textOf = ({ parts }: MessageRow): string =>
  (JSON.parse(parts) as readonly Part[])
    .filter(({ type }) => type === PART.TEXT)
    .map(({ content = '' }) => content)
    .join('\n');

const wordsOf = (text: string): readonly string[] => text.normalize('NFC').toLowerCase().match(WORD) ?? [];

/** How many of the words are in the text, of all. */
const share = (text: string, words: readonly string[]): number => {
  if (words.length === 0) return 0;
  const folded = text.normalize('NFC').toLowerCase();
  return words.filter((word) => folded.includes(word)).length / words.length;
};

/** The text around the first of the words, on one line. */
const snippetOf = (text: string, words: readonly string[]): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  const folded = line.toLowerCase();
  const hits = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...hits, line.length) - LEAD_CHARS);
  return line.slice(start, start + SNIPPET_CHARS).toWellFormed();
};
