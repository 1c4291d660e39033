import { Fault } from '../../base/index.ts';
import type { MessageRow, ReadTx, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import type { HistoryExtent, Part, TranscriptMessage } from '../contract.ts';
import { cutAtCompaction } from './compaction-cut.ts';
import { orderHistory } from './history-order.ts';
import type { FindPlaces, TurnPlace } from './turn-places.ts';

/** Where a history is read, and the turn that it comes before. */
export interface ReadPlace {
  readonly tx: ReadTx;
  readonly session: Pick<SessionRow, 'id'>;
  readonly turn: Pick<TurnRow, 'id' | 'fence'>;
  readonly findPlaces: FindPlaces;
}

const PAGE = 256;
/** No history that fits a model is as long: more of them can only have been appended later, with ids that callers chose. */
const MOST_MESSAGES = 50_000;

/** A stored message as a history shows it: one of a turn that the session does not have counts as appended. */
export const asTranscript = (
  row: MessageRow,
  turnId: string,
  turns: ReadonlyMap<string, TurnPlace | undefined>,
): TranscriptMessage => {
  const isForeign = row.turnId !== '' && row.turnId !== turnId && turns.get(row.turnId) === undefined;
  const parts = JSON.parse(row.parts) as readonly Part[];
  return { id: row.id, role: row.role, turnId: isForeign ? '' : row.turnId, labels: row.labels, parts };
};

/** Rows between both ids, these included. */
const rowsBetween = async (
  { tx, session }: ReadPlace,
  { oldest, newest }: HistoryExtent,
): Promise<readonly MessageRow[]> => {
  const last = newest === '' ? undefined : await tx.log.message(session.id, newest);
  const rows = last === undefined ? [] : [last];
  let before = newest;
  while (before > oldest) {
    const page = await tx.log.messagesBefore(session.id, before, PAGE);
    rows.push(...page.filter(({ id }) => id >= oldest));
    if (rows.length > MOST_MESSAGES)
      throw new Fault(
        'FAILED_PRECONDITION',
        'HISTORY_TOO_LONG',
        `more than ${MOST_MESSAGES} messages were appended to the history that the model saw, too many to rebuild its request`,
      );
    if (page.length < PAGE) break;
    before = page.at(-1)?.id ?? '';
  }
  return rows;
};

/** Messages of an extent in their order, those that are gone left out, those that came later with an older id included. */
export const readExtent = async (place: ReadPlace, extent: HistoryExtent): Promise<readonly TranscriptMessage[]> => {
  const { tx, session, turn, findPlaces } = place;
  const rows = await rowsBetween(place, extent);
  const ids = new Set(rows.map((row) => row.turnId).filter((id) => id !== '' && id !== turn.id));
  const turns = await findPlaces(tx, session.id, [...ids]);
  const fenceOf = (turnId: string): number | undefined => turns.get(turnId)?.fence;
  const isSeen = (message: TranscriptMessage): boolean => {
    if (message.turnId === '') return true;
    const fence = message.turnId === turn.id ? undefined : fenceOf(message.turnId);
    return fence !== undefined && fence >= extent.floor && fence < extent.fence;
  };
  const ordered = orderHistory(rows.map((row) => asTranscript(row, turn.id, turns)).filter(isSeen), fenceOf);
  return cutAtCompaction(ordered)?.rest ?? ordered;
};
