import { isUuid } from '../../../base/index.ts';
import type { SessionRow, Store } from '../../../store/contracts/index.ts';
import { jsonResult, shownTime, textPart } from '../../../tools/authority-contract.ts';
import type { ToolContext } from '../../../tools/contract.ts';
import { type MessageHit, searchMessages } from './message-search.ts';
import { snippetOf, textOf, wordsOf } from './message-text.ts';
import type { SearchSource } from './search-contract.ts';

/** What one search reads: the sessions used last, and of each the newest messages. */
const MOST = { sessions: 50, messages: 5_000, perSession: 100 };

/** Messages of the agent's other sessions: the newest of those that were used last. */
export const sessionSearch = ({ store }: { readonly store: Pick<Store, 'direct'> }): SearchSource => ({
  kind: 'sessions',
  find: async (context, { query, limit }) => {
    const { namespace, agent, sessionId, signal } = context;
    const words = wordsOf(query);
    const { hits } = await searchMessages({
      log: store.direct.log,
      words,
      agents: [{ namespace, agent }],
      sessionIds: [],
      mayRead: ({ id }) => id !== sessionId,
      signal,
      most: MOST,
    });
    return hits.slice(0, limit).map((hit) => resultOf(hit, words));
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

const resultOf = ({ session, message, text, score }: MessageHit, words: readonly string[]) => ({
  ref: `session://${session.id}/${message.id}`,
  title: `${ROLES[message.role] ?? 'message'} in session ${session.id}`,
  updatedAt: message.createdAt,
  snippet: snippetOf(text, words)
    .map((piece) => piece.text)
    .join(''),
  score,
});
