import { type ConnectorSpec, ConnectorSpecSchema } from '@svc/api/resources';
import { messageFromText, recordKey } from '../../../../resources/index.ts';
import type { ReadTx } from '../../../../store/contracts/index.ts';
import type { ConnectorContext } from '../context/index.ts';
import { consumerMode, type ReplyMode, replyModeOf } from './reply-rules.ts';

/** What holds for replies to an event now. */
export interface LiveConnector {
  readonly mode: ReplyMode;
  readonly matchFields: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What the connector says now, or what the event kept of it once it is gone: one made again under its name is another. */
export const liveConnector = async (
  { resources }: Pick<ReadTx, 'resources'>,
  context: ConnectorContext,
): Promise<LiveConnector> => {
  const { connectorNamespace, connectorName, connectorUid, matchFields, replyMode } = context;
  const record = await resources.get(recordKey('Connector', connectorNamespace, connectorName));
  if (record?.uid !== connectorUid) return { mode: replyModeOf(replyMode), matchFields, annotations: {} };
  const spec = messageFromText(ConnectorSpecSchema, record.spec) as ConnectorSpec;
  return {
    mode: replyModeOf(consumerMode(spec.consumer) ?? replyMode),
    matchFields: spec.matchFields,
    annotations: record.annotations,
  };
};
