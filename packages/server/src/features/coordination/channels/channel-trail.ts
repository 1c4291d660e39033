import { isUuid, leastIdAt } from '../../../base/index.ts';
import { admittedAt, parseBody } from '../../../runtime/contract.ts';
import type { ChannelMessageRow, ReadTx, StoredResource, TurnRow } from '../../../store/contracts/index.ts';
import { type TrailPlace, type TrailReading, type TrailSource, trailText } from '../../trail-source.ts';
import type { MessageBody } from './channel-message.ts';
import { routeOfSession } from './routing/index.ts';

/** Channels of a namespace in which one id is searched. */
const CHANNELS_MAX = 2_000;
/** Messages of a channel, among which those that a turn published are searched. */
const PUBLISHED_MAX = 500;
/** How long after a turn its last text is published at the latest, unless svc was down. */
const PUBLISHED_WITHIN = 3_600_000_000;
const MICROS_PER_MS = 1_000;
const SESSIONS_MAX = 200;
const TURNS_MAX = 20;

/** What channels know: the sessions that a message began, and what these published. */
export const channelTrail: TrailSource = {
  find: async (reads, { namespace, id }) => {
    if (!isUuid(id)) return [];
    const places: TrailPlace[] = [];
    for (const channel of await channelsOf(reads, namespace))
      if ((await reads.channels.message(channel.uid, id)) !== undefined)
        places.push(placeOf(namespace, channel.uid, id));
    return places;
  },
  read: async (reads, place) => {
    if (place.kind === 'turn') return await readTurn(reads, place);
    return place.kind === 'channel_message' ? await readMessage(reads, place) : undefined;
  },
};

const channelsOf = (reads: ReadTx, namespace: string): Promise<readonly StoredResource[]> =>
  reads.resources.list({ kind: 'Channel', scope: { type: 'namespace', namespace }, limit: CHANNELS_MAX });

const placeOf = (namespace: string, channelUid: string, id: string): TrailPlace => ({
  kind: 'channel_message',
  id,
  namespace,
  within: channelUid,
});

const bodyOf = (row: ChannelMessageRow): MessageBody => JSON.parse(row.body) as MessageBody;

/** A message, with the turns of the sessions that it began and of the one that published it. */
const readMessage = async (reads: ReadTx, place: TrailPlace): Promise<TrailReading | undefined> => {
  const row = await reads.channels.message(place.within ?? '', place.id);
  if (row === undefined) return undefined;
  const { authorKind, author, content, sourceSessionId = '' } = bodyOf(row);
  const channel = (await channelsOf(reads, place.namespace)).find(({ uid }) => uid === place.within);
  const begun = await reads.resources.list({
    kind: 'Session',
    scope: { type: 'namespace', namespace: place.namespace },
    labels: [{ op: 'in', key: 'svc/channel-message', values: [row.id] }],
    limit: SESSIONS_MAX,
  });
  const links: TrailPlace[] = [];
  for (const session of [...begun.map(({ key }) => key.name), ...(sourceSessionId === '' ? [] : [sourceSessionId])])
    for (const turn of await reads.log.turns(session, { limit: TURNS_MAX }))
      links.push({ kind: 'turn', id: turn.id, namespace: turn.namespace });
  const entry = {
    kind: place.kind,
    id: row.id,
    namespace: place.namespace,
    name: channel?.key.name ?? '',
    at: row.createdAt,
    state: authorKind,
    text: trailText(author === '' ? content : `${author}: ${content}`),
  };
  const published = sourceSessionId === '' ? {} : { sessionId: sourceSessionId };
  return { entries: [{ ...entry, ...published }], links };
};

/** The message that began the session of the turn, and those that the turn published. */
const readTurn = async (reads: ReadTx, { id }: TrailPlace): Promise<TrailReading | undefined> => {
  const turn = await reads.log.turn(id);
  if (turn === undefined) return undefined;
  const { namespace, agent, sessionId } = turn;
  const route = await routeOfSession(reads, { namespace, agent, sessionId });
  if (route === undefined) return undefined;
  const published = await publishedBy(reads, turn, route.channelUid);
  const isBegun = parseBody(turn).cause.labels['svc/channel-message'] === route.messageId;
  return {
    entries: [],
    links: [route.messageId, ...published].map((message) => placeOf(namespace, route.channelUid, message)),
    causes: {
      ...(isBegun ? { [turn.userMessageId]: route.messageId } : {}),
      ...Object.fromEntries(published.map((message) => [message, turn.id])),
    },
  };
};

/** What its session published from the turn on and before the next one: the last text follows a moment after the end of the turn. */
const publishedBy = async (reads: ReadTx, turn: TurnRow, channelUid: string): Promise<readonly string[]> => {
  const next = (await reads.log.turns(turn.sessionId, { limit: TURNS_MAX })).findLast(({ id }) => id > turn.id);
  const ended = turn.finishedAt === 0 ? undefined : turn.finishedAt + PUBLISHED_WITHIN;
  const end = next === undefined ? ended : admittedAt(next, parseBody(next));
  const before = end === undefined ? undefined : leastIdAt(Math.ceil(end / MICROS_PER_MS));
  const rows = await reads.channels.messagesBefore(channelUid, before, PUBLISHED_MAX);
  const begin = admittedAt(turn, parseBody(turn));
  return rows
    .filter((row) => row.createdAt >= begin && bodyOf(row).sourceSessionId === turn.sessionId)
    .map(({ id }) => id);
};
