import type { ChannelMessageConsumer, MessageConsumer, SessionMessageConsumer } from '@svc/api/data';
import type { CheckReads } from '../../../controllers/contract.ts';
import { type Finding, parseJsonMap, recordKey } from '../../../resources/index.ts';
import { hasConsumer, hasUnknownReplyMode } from './connector-rules.ts';

/** Condition ConsumerResolved of a connector in namespace `own`. */
export const consumerFinding = async (
  tx: CheckReads,
  consumer: MessageConsumer | undefined,
  own: string,
): Promise<Finding> => {
  if (consumer === undefined || !hasConsumer(consumer))
    return { type: 'ConsumerResolved', status: 'Unknown', reason: 'ConsumerMissing' };
  const reason = await consumerProblem(tx, consumer, own);
  if (reason !== '') return { type: 'ConsumerResolved', status: 'False', reason };
  const known = hasUnknownReplyMode(consumer) ? 'UnknownReplyMode' : 'Resolved';
  return { type: 'ConsumerResolved', status: 'True', reason: known };
};

/** What keeps messages from their consumer, '' for nothing. */
const consumerProblem = async (tx: CheckReads, consumer: MessageConsumer, own: string): Promise<string> => {
  const { session, channel, workflow } = consumer;
  if (session !== undefined) return sessionProblem(tx, session, own);
  if (channel !== undefined) return channelProblem(tx, channel, own);
  const { namespace = '', name = '' } = workflow ?? {};
  return (await tx.resources.get(recordKey('Workflow', namespace || own, name))) === undefined
    ? 'WorkflowNotFound'
    : '';
};

const sessionProblem = async (tx: CheckReads, session: SessionMessageConsumer, own: string): Promise<string> => {
  const { namespace = '', name = '' } = session.agent ?? {};
  if ((await tx.resources.get(recordKey('Agent', namespace || own, name))) === undefined) return 'AgentNotFound';
  if (session.continuity !== 'pinned') return '';
  const pinned = await tx.log.session(session.sessionId);
  return pinned?.namespace === (namespace || own) && pinned.agent === name ? '' : 'SessionNotFound';
};

const channelProblem = async (tx: CheckReads, consumer: ChannelMessageConsumer, own: string): Promise<string> => {
  const { namespace = '', name = '' } = consumer.channel ?? {};
  const found = await tx.resources.get(recordKey('Channel', namespace || own, name));
  if (found === undefined) return 'ChannelNotFound';
  if (parseJsonMap(found.status)?.['phase'] === 'closed') return 'ChannelClosed';
  const agent = consumer.agent?.name ?? '';
  const isMissing = agent !== '' && (await tx.resources.get(recordKey('Agent', namespace || own, agent))) === undefined;
  return isMissing ? 'AgentNotFound' : '';
};
