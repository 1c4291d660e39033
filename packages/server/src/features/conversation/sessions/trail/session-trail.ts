import { isUuid } from '../../../../base/index.ts';
import { admittedAt, isTurnOver, PART, type Part, parseBody, recordedParts } from '../../../../runtime/contract.ts';
import type { MessageRow, ReadTx, SessionRow, TurnRow } from '../../../../store/contracts/index.ts';
import { type TrailPlace, type TrailReading, type TrailSource, trailText } from '../../../trail-source.ts';
import { turnEntries } from './turn-entries.ts';

/** Sessions that one message id is searched in: forks use the ids of their source again. */
const SAME_ID_MAX = 20;

const ROLES = ['', 'user', 'assistant', 'system'];

/** What sessions know of their messages and turns. */
export const sessionTrail: TrailSource = {
  find: async (reads, { namespace, id }) => {
    if (!isUuid(id)) return [];
    const turn = await reads.log.turn(id);
    if (turn !== undefined) return turn.namespace === namespace ? [turnPlace(turn)] : [];
    const rows = await reads.log.messagesOfId(id, SAME_ID_MAX);
    const places: TrailPlace[] = [];
    for (const row of rows) {
      const session = await reads.log.session(row.sessionId);
      if (session?.namespace === namespace) places.push(messagePlace(session, row.id));
    }
    return places;
  },
  read: async (reads, place) => {
    if (place.kind === 'turn') return await readTurn(reads, place);
    return place.kind === 'session_message' ? await readMessage(reads, place) : undefined;
  },
};

const turnPlace = ({ id, namespace }: Pick<TurnRow, 'id' | 'namespace'>): TrailPlace => ({
  kind: 'turn',
  id,
  namespace,
});

const messagePlace = (session: Pick<SessionRow, 'id' | 'namespace'>, id: string): TrailPlace => ({
  kind: 'session_message',
  id,
  namespace: session.namespace,
  within: session.id,
});

const partsOf = (row: MessageRow): readonly Part[] => JSON.parse(row.parts) as readonly Part[];

const readMessage = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const session = await reads.log.session(place.within ?? '');
  const row = session === undefined ? undefined : await reads.log.message(session.id, place.id);
  if (session === undefined || row === undefined) return undefined;
  const { namespace, agent } = session;
  const parts = partsOf(row);
  const isReply = ROLES[row.role] === 'assistant' && row.turnId !== '';
  const texts = parts.flatMap(({ type, content = '' }) => (type === PART.TEXT ? [content] : []));
  const entry = {
    kind: place.kind,
    id: row.id,
    namespace,
    agent,
    sessionId: session.id,
    // A reply has an id from the beginning of its turn, and is there when its last part is.
    at: isReply ? Math.max(row.createdAt, ...parts.map(({ createdAt }) => createdAt)) : row.createdAt,
    state: ROLES[row.role] ?? '',
    text: trailText(texts.join(' ')),
  };
  return {
    entries: [isReply ? { ...entry, causedBy: row.turnId } : entry],
    links: row.turnId === '' ? [] : [turnPlace({ id: row.turnId, namespace })],
  };
};

/** A turn with what it did; its messages, and the turn of another agent that led to it. */
const readTurn = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const turn = await reads.log.turn(place.id);
  if (turn === undefined) return undefined;
  const body = parseBody(turn);
  const session = { id: turn.sessionId, namespace: turn.namespace };
  const parent = body.cause.lineage.at(-1);
  const { namespace, agent, sessionId } = turn;
  const entry = {
    kind: place.kind,
    id: turn.id,
    namespace,
    agent,
    sessionId,
    at: admittedAt(turn, body),
    state: turn.state,
    text: turnText(turn.attempt, body.cause.identity, body.error),
    reason: body.reason ?? '',
    causedBy: turn.userMessageId,
  };
  return {
    entries: [
      isTurnOver(turn) ? { ...entry, endedAt: turn.finishedAt } : entry,
      ...turnEntries(turn, await partsOfTurn(reads, turn, body.replyMessageIds)),
    ],
    links: [
      ...Array.from(new Set([turn.userMessageId, ...body.userMessageIds]), (id) => messagePlace(session, id)),
      ...(isTurnOver(turn) ? body.replyMessageIds.map((id) => messagePlace(session, id)) : []),
      ...(parent === undefined ? [] : [turnPlace({ id: parent.turnId, namespace: parent.namespace })]),
    ],
    causes: parent === undefined ? {} : { [turn.userMessageId]: parent.turnId },
  };
};

/** An open turn has its parts in the journal, an ended one in its messages. */
const partsOfTurn = async (reads: ReadTx, turn: TurnRow, replies: readonly string[]): Promise<readonly Part[]> => {
  if (!isTurnOver(turn)) return recordedParts(await reads.log.journal(turn.id)).map(({ part }) => part);
  const parts: Part[] = [];
  for (const id of replies) {
    const row = await reads.log.message(turn.sessionId, id);
    if (row !== undefined) parts.push(...partsOf(row));
  }
  return parts;
};

const turnText = (attempt: number, identity: string, error = ''): string =>
  [`for ${identity}`, ...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(error === '' ? [] : [trailText(error)])].join(
    ', ',
  );
