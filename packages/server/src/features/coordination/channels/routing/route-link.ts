import type { ResourceWriter } from '../../../../controllers/contract.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { ReadTx, WriteTx } from '../../../../store/contracts/index.ts';
import type { ReplyMode } from '../subscription/index.ts';

/** What a session that a channel began knows of it: kept with the session where no client can write, unlike labels. */
export interface ChannelRoute {
  readonly channelUid: string;
  readonly channel: string;
  readonly subscription: string;
  /** The message that began the session. */
  readonly messageId: string;
  readonly replyMode: ReplyMode;
  /** Agents that answered each other up to that message. */
  readonly hops: number;
  /** The newest turn that published or skipped; '' before the first. */
  readonly answeredBy: string;
}

/** Private annotation of the session. */
const ROUTE = 'svc/~channel-route';

/** Label of sessions that a channel began: the name of the channel. */
export const CHANNEL_LABEL = 'svc/channel';

/** A session by its names. */
export interface LinkedSession {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}

const sessionKey = ({ namespace, agent, sessionId }: LinkedSession) => ({
  ...recordKey('Session', namespace, sessionId),
  parent: agent,
});

/** The channel that a session belongs to; undefined for every other session. */
export const routeOfSession = async (
  reads: Pick<ReadTx, 'resources'>,
  session: LinkedSession,
): Promise<ChannelRoute | undefined> => {
  const text = (await reads.resources.get(sessionKey(session)))?.annotations[ROUTE];
  return text === undefined ? undefined : (JSON.parse(text) as ChannelRoute);
};

/** Keeps the route with its session, in the transaction of what happened. */
export const keepRoute = async (
  { tx, writer }: { readonly tx: WriteTx; readonly writer: Pick<ResourceWriter, 'writeStatus'> },
  session: LinkedSession,
  route: ChannelRoute,
): Promise<void> => {
  const system = { annotations: { [ROUTE]: JSON.stringify(route) } };
  await writer.writeStatus(tx, sessionKey(session), () => ({ system }));
};
