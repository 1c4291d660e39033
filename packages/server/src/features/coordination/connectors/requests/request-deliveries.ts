import { parsePermission, type TurnProgressHook } from '../../../../runtime/contract.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import { type ConnectorContext, channelSubject, contextOf, sessionSubject } from '../context/index.ts';
import { type DeliveryBook, laneOf, liveConnector, parseDelivery, replyDraft, replyPlace } from '../outbox/index.ts';
import { requestOptions, requestText } from './request-text-rules.ts';

/** Annotation of a connector: `deliver` brings what turns ask people into the conversation. */
export const REQUESTS = 'option.svc/requests';
export const DELIVER = 'deliver';

/** The message of a channel that began a session. */
export interface ChannelTrigger {
  readonly channel: string;
  readonly channelUid: string;
  readonly messageId: string;
}

export interface RequestDeliveriesDeps {
  readonly book: DeliveryBook;
  /** What began a session in a channel; undefined for every other session. */
  readonly channelTrigger: (
    tx: WriteTx,
    session: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
  ) => Promise<ChannelTrigger | undefined>;
}

type Parked = Parameters<TurnProgressHook['turnParked']>[1];

const CONNECTOR = 'connector';
const CHANNEL = 'channel';
/** Requests of one conversation that are read, the newest ones: they have been asked there already. */
const ASKED_MAX = 20;

/**
 * What requests of one conversation and thread are called among deliveries. The connector is part of it: conversations of two connectors of
 * a class may have the same id, and each connector names its own approvers.
 */
const requestSubject = (connectorUid: string, lane: string): string => `request/${connectorUid}/${lane}`;

/** Brings what a turn asks people into the conversation that began it, in the transaction in which the turn begins to wait. */
export const deliverRequests = async (deps: RequestDeliveriesDeps, tx: WriteTx, parked: Parked): Promise<void> => {
  const { turn, waitsFor } = parked;
  const origin = waitsFor === 'person' ? await originOf(deps, tx, parked) : undefined;
  if (origin === undefined) return;
  const { namespace, sessionId, agent } = turn;
  const { context, ...place } = origin;
  const live = await liveConnector(tx, context);
  if (live.annotations[REQUESTS] !== DELIVER || live.mode === 'none') return;
  const subject = requestSubject(context.connectorUid, laneOf(context.classUid, replyPlace(context, live.mode)));
  const asked = await askedRequests(tx, subject);
  const open = (await tx.log.permissionsOfTurn(turn.id)).filter((row) => row.open && !asked.includes(row.id));
  for (const row of open) {
    const data = parsePermission(row);
    const options = requestOptions(data);
    const labels: Record<string, string> =
      options.length === 0 ? {} : { 'svc.requestOptions': JSON.stringify(options) };
    const source = { kind: 'request', agent, sessionId, requestId: row.id, ...place } as const;
    const said = { namespace, subject, text: requestText(data), attachments: [], source, labels, isFixed: true };
    // Questions do not wait for review: the turn waits for their answers.
    await deps.book.add(tx, { ...replyDraft(context, live, said), state: 'pending' });
  }
};

/** The message of a platform that a turn works on, and the channel in which it was posted where it was posted in one. */
interface Origin extends Partial<Pick<ChannelTrigger, 'channel' | 'channelUid'>> {
  readonly context: ConnectorContext;
}

const originOf = async (
  { channelTrigger }: RequestDeliveriesDeps,
  tx: WriteTx,
  { turn, body }: Parked,
): Promise<Origin | undefined> => {
  const { namespace, sessionId, agent } = turn;
  if (body.cause.kind === CONNECTOR) {
    const context = await contextOf(tx, namespace, sessionSubject(sessionId, turn.userMessageId));
    return context === undefined ? undefined : { context };
  }
  if (body.cause.kind !== CHANNEL) return undefined;
  const trigger = await channelTrigger(tx, { namespace, agent, sessionId });
  if (trigger === undefined) return undefined;
  const { channel, channelUid, messageId } = trigger;
  // A message that an agent posted has no context: its questions stay in the inbox, as its publications stay in the channel.
  const context = await contextOf(tx, namespace, channelSubject(channelUid, messageId));
  return context === undefined ? undefined : { context, channel, channelUid };
};

/** Ids of the newest requests of a conversation that were asked there, newest first. */
export const askedRequests = async (
  { deliveries }: Pick<WriteTx, 'deliveries'>,
  subject: string,
): Promise<readonly string[]> => {
  const rows = await deliveries.page('ofSubject', { subject }, { limit: ASKED_MAX });
  return rows.map((row) => parseDelivery(row).body.source.requestId ?? '');
};

/** Where an event could answer a request. */
export const answeredSubject = ({ classUid, connectorUid, conversationId, threadId }: ConnectorContext): string =>
  requestSubject(connectorUid, laneOf(classUid, { conversationId, threadId }));
