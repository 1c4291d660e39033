import type { MessageConsumer } from '@svc/api/data';
import { Fault, isFault } from '../../../../base/index.ts';
import type { NamespaceFacts } from '../../../../controllers/contract.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import { type ChannelConsumerDeps, toChannel } from './channel-consumer.ts';
import { type Consumed, Refused, type RoutedEvent } from './consumer.ts';
import { type SessionConsumerDeps, toSession } from './session-consumer.ts';
import { toWorkflow, type WorkflowConsumerDeps } from './workflow-consumer.ts';

export interface ConsumersDeps extends SessionConsumerDeps, ChannelConsumerDeps, WorkflowConsumerDeps {
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
}

/** Hands an event to the consumer of its connector. Throws Refused, and the faults of what is missing. */
export const consume = async (deps: ConsumersDeps, tx: WriteTx, routed: RoutedEvent): Promise<Consumed> => {
  const { session, channel, workflow } = routed.consumer;
  await requireLive(deps, tx, namespaceOf(routed.consumer) || routed.connector.key.namespace);
  if (session !== undefined) return toSession({ deps, tx }, routed, session);
  if (channel !== undefined) return toChannel({ deps, tx }, routed, channel);
  if (workflow !== undefined) return toWorkflow({ deps, tx }, routed, workflow);
  throw new Fault('NOT_FOUND', 'CONSUMER_NOT_FOUND', 'the connector has no consumer');
};

const namespaceOf = ({ session, channel, workflow }: MessageConsumer): string =>
  session?.agent?.namespace ?? channel?.channel?.namespace ?? workflow?.namespace ?? '';

const requireLive = async ({ namespaces }: ConsumersDeps, tx: WriteTx, namespace: string): Promise<void> => {
  try {
    await namespaces.requireLive(tx, namespace);
  } catch (error) {
    if (isFault(error) && error.reason === 'NAMESPACE_DELETED') throw new Refused('namespace_deleted');
    throw error;
  }
};
