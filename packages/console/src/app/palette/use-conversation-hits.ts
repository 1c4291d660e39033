import type { SessionHit } from '@svc/api/data';
import { useRead } from '../../api/use-call.ts';
import { useSettled } from '../../api/use-settled.ts';
import { addresses } from '../address.tsx';
import { EVERYWHERE } from '../scope.ts';
import { texts } from '../texts.ts';
import type { Hit } from './use-hits.ts';

/** Shorter texts are in too many messages to be looked for. */
const LEAST_CHARS = 3;
const PAUSE_MS = 250;
const MOST = 8;

/** What conversations say about the text of the palette. */
interface ConversationHits {
  readonly hits: readonly Hit[];
  /** The text is long enough to be looked for. */
  readonly isAsked: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * Messages with the words, once the person pauses; what was asked before is given up. The last hit leads to the list of all, where
 * older sessions are read as well.
 */
export const useConversationHits = (text: string): ConversationHits => {
  const query = text.trim();
  const settled = useSettled(query, PAUSE_MS);
  const isAsked = query.length >= LEAST_CHARS;
  const found = useRead({
    key: ['SearchSessions', 'palette', settled],
    call: (client, signal) =>
      client.sessionControl.searchSessions({ ns: EVERYWHERE, query: settled, pageSize: MOST }, { signal }),
    enabled: isAsked && settled.length >= LEAST_CHARS,
    keepsFormer: false,
  });
  const isCurrent = settled === query;
  const hits = isCurrent ? (found.data?.hits ?? []) : [];
  return {
    hits: isAsked && isCurrent && found.isSuccess ? [...hits.map(hitOf), allOf(settled)] : [],
    isAsked,
    isLoading: isAsked && (!isCurrent || found.isPending),
    error: isAsked && isCurrent ? found.error : null,
    retry: () => void found.refetch(),
  };
};

const hitOf = ({ ns, agent, sessionId, messageId, snippet }: SessionHit): Hit => ({
  title: snippet.map((piece) => piece.text).join(''),
  pieces: snippet,
  kind: agent,
  icon: 'chat',
  to: addresses.message(ns, agent, { sessionId, messageId }),
});

const allOf = (query: string): Hit => ({
  title: texts.inAllConversations,
  kind: texts.goTo,
  icon: 'search',
  to: `${addresses.sessions(EVERYWHERE)}?${new URLSearchParams({ find: query }).toString()}`,
});
