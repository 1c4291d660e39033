import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessageRow, ReadTx, SessionRow } from '../../../store/contracts/index.ts';
import { shareOf, textOf } from './message-text.ts';
import { type AgentName, recentSessions } from './recent-sessions.ts';

const MESSAGES_AT_ONCE = 50;
/** Stored text that one call reads at most, in characters, and at least one batch of messages. */
const CHARS_MAX = 16 * 1024 * 1024;

/** Where reading continues: in the session of this id before the message, with '' after the session. */
export interface SearchPlace {
  readonly lastActive: number;
  readonly sessionId: string;
  readonly messageId: string;
}

/** A message with words of the query. */
export interface MessageHit {
  readonly session: SessionRow;
  readonly message: MessageRow;
  readonly text: string;
  /** In (0, 1]. */
  readonly score: number;
}

export interface MessageSearch {
  readonly log: Pick<ReadTx['log'], 'session' | 'sessions' | 'messagesBefore'>;
  readonly words: readonly string[];
  /** Agents whose sessions are searched. */
  readonly agents: readonly AgentName[];
  /** Ids of single sessions that are searched in addition. */
  readonly sessionIds: readonly string[];
  /** Asked of every session before anything of it is read. */
  readonly mayRead: (session: SessionRow) => boolean;
  readonly signal: AbortSignal;
  /** What one call reads at most; `perSession` leaves older messages of a session out. */
  readonly most: { readonly sessions: number; readonly messages: number; readonly perSession: number };
}

/** Hits in what was read, best first, and where reading continues: undefined at the end. */
export interface SearchSlice {
  readonly hits: readonly MessageHit[];
  readonly next: SearchPlace | undefined;
}

/**
 * Reads messages of the sessions used last, newest first, from a place on. There is no index of messages: it would cost every turn a
 * write, for searches that are few. A call reads a bounded number, so older messages are found by calls that continue. Between batches
 * other work of the process has its turn.
 */
export const searchMessages = async (search: MessageSearch, from?: SearchPlace): Promise<SearchSlice> => {
  const reading = new Reading(search);
  if (from !== undefined && from.messageId !== '') {
    const session = await search.log.session(from.sessionId);
    const rest = session === undefined ? '' : await reading.session(session, from.messageId);
    if (rest !== '') return reading.slice({ ...from, messageId: rest });
  }
  let last = from === undefined ? undefined : { lastActive: from.lastActive, sessionId: from.sessionId, messageId: '' };
  for await (const session of recentSessions(search, last)) {
    if (reading.isFull) return reading.slice(last);
    last = { lastActive: session.lastActive, sessionId: session.id, messageId: '' };
    const rest = await reading.session(session);
    if (rest !== '') return reading.slice({ ...last, messageId: rest });
  }
  return reading.slice(undefined);
};

/** Best first, then the newest; ids decide between the rest. Negative when `left` comes first. */
export const compareHits = (left: HitOrder, right: HitOrder): number =>
  right.score - left.score ||
  right.createdAt - left.createdAt ||
  compareText(right.sessionId, left.sessionId) ||
  compareText(right.messageId, left.messageId);

/** What decides about the place of a hit. */
export interface HitOrder {
  readonly score: number;
  readonly createdAt: number;
  readonly sessionId: string;
  readonly messageId: string;
}

export const orderOf = ({ message, score }: MessageHit): HitOrder => ({
  score,
  createdAt: message.createdAt,
  sessionId: message.sessionId,
  messageId: message.id,
});

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** What one call has read so far. */
class Reading {
  readonly #search: MessageSearch;
  readonly #hits: MessageHit[] = [];
  #sessions = 0;
  #messages = 0;
  #chars = 0;

  constructor(search: MessageSearch) {
    this.#search = search;
  }

  get isFull(): boolean {
    const { most } = this.#search;
    return this.#sessions >= most.sessions || this.#messages >= most.messages || this.#chars >= CHARS_MAX;
  }

  /** Reads the session back from its end or a message. Id of the last message read where more are left, else ''. */
  async session(session: SessionRow, before?: string): Promise<string> {
    const { log, mayRead, most, signal } = this.#search;
    this.#sessions++;
    if (!mayRead(session)) return '';
    const count = Math.min(MESSAGES_AT_ONCE, most.perSession);
    let place = before;
    for (let read = 0; read < most.perSession; read += count) {
      signal.throwIfAborted();
      const messages = await log.messagesBefore(session.id, place, count);
      for (const message of messages) this.#message(session, message);
      await nextTurn();
      place = messages.at(-1)?.id;
      if (place === undefined || messages.length < count) return '';
      if (this.#messages >= most.messages || this.#chars >= CHARS_MAX)
        return most.perSession > read + count ? place : '';
    }
    return '';
  }

  slice(next: SearchPlace | undefined): SearchSlice {
    return { hits: this.#hits.toSorted((left, right) => compareHits(orderOf(left), orderOf(right))), next };
  }

  #message(session: SessionRow, message: MessageRow): void {
    this.#messages++;
    this.#chars += message.parts.length;
    const text = textOf(message);
    const score = shareOf(text, this.#search.words);
    if (score > 0) this.#hits.push({ session, message, text, score });
  }
}
