import type { ReadTx, TurnRow } from '../../store/contracts/index.ts';
import { isTurnOver, parseBody } from '../record/index.ts';
import { firstFence } from './history-order.ts';

/** What the order needs to know of a turn. */
export interface TurnPlace {
  /** Fence of the first claim; undefined while the turn was not started. */
  readonly fence: number | undefined;
  readonly messageIds: readonly string[];
}

/** Places of turns of one session; undefined = the session has no such turn. */
export type FindPlaces = (
  tx: ReadTx,
  sessionId: string,
  turnIds: readonly string[],
) => Promise<ReadonlyMap<string, TurnPlace | undefined>>;

/** Ended turns whose place a process keeps; it never changes, so long sessions need no turn row twice. */
const KEPT_PLACES = 10_000;

/** Ids of the messages that a turn row names. */
export const messageIdsOf = (row: TurnRow): readonly string[] => {
  const body = row.body === '' ? undefined : parseBody(row);
  const ids = [row.userMessageId, ...(body?.userMessageIds ?? []), ...(body?.replyMessageIds ?? [])];
  return ids.filter((id) => id !== '');
};

const keyOf = (sessionId: string, turnId: string): string => `${sessionId} ${turnId}`;

/** Reads turn rows and keeps the places of ended turns, the oldest known dropped. */
export const createTurnPlaces = (): FindPlaces => {
  const kept = new Map<string, TurnPlace>();
  const keep = (row: TurnRow, place: TurnPlace): void => {
    if (!isTurnOver(row) || place.fence === undefined) return;
    kept.set(keyOf(row.sessionId, row.id), place);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_PLACES && oldest !== undefined) kept.delete(oldest);
  };
  const read = async (tx: ReadTx, sessionId: string, turnId: string): Promise<TurnPlace | undefined> => {
    const known = kept.get(keyOf(sessionId, turnId));
    if (known !== undefined) return known;
    const row = await tx.log.turn(turnId);
    if (row === undefined || row.sessionId !== sessionId) return undefined;
    const place = { fence: firstFence(row), messageIds: messageIdsOf(row) };
    keep(row, place);
    return place;
  };
  return async (tx, sessionId, turnIds) => {
    const places = await Promise.all(turnIds.map((turnId) => read(tx, sessionId, turnId)));
    return new Map(turnIds.map((turnId, index) => [turnId, places[index]]));
  };
};
