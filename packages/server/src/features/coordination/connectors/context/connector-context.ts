import { type ReadTx, sessionHolder, type WriteTx } from '../../../../store/contracts/index.ts';

/** Where a message of a platform came from, kept with what it caused, so that answers find their way back. Never read from labels. */
export interface ConnectorContext {
  readonly classUid: string;
  readonly classNamespace: string;
  readonly className: string;
  readonly registrationId: string;
  readonly connectorUid: string;
  readonly connectorNamespace: string;
  readonly connectorName: string;
  readonly eventId: string;
  readonly conversationId: string;
  /** '' outside of threads. */
  readonly threadId: string;
  readonly messageId: string;
  readonly conversationType: string;
  readonly sender: { readonly kind: string; readonly externalId: string; readonly name: string };
  /** Match fields of the event, for deliveries once the connector is gone. */
  readonly matchFields: Readonly<Record<string, string>>;
  /** Reply mode at the time of the event, used only when the connector is gone. */
  readonly replyMode: string;
  readonly eventLabels: Readonly<Record<string, string>>;
}

type Reads = Pick<ReadTx, 'connectorContexts'>;
type Writes = Pick<WriteTx, 'connectorContexts' | 'now'>;

/** What a session message is called here. */
export const sessionSubject = (sessionId: string, messageId: string): string =>
  `${sessionHolder(sessionId)}/${messageId}`;

/** What a message of a channel is called here. */
export const channelSubject = (channelUid: string, messageId: string): string => `channel/${channelUid}/${messageId}`;

/** What a run of a workflow is called here. */
export const runSubject = (runId: string): string => `run/${runId}`;

const holderOf = (subject: string): string => subject.slice(0, subject.lastIndexOf('/'));

/** Keeps the context with its subject, in the transaction that writes the subject and in the namespace of the subject. */
export const keepContext = (
  tx: Writes,
  { namespace, subject }: { readonly namespace: string; readonly subject: string },
  context: ConnectorContext,
): Promise<void> => {
  const body = JSON.stringify(context);
  return tx.connectorContexts.put({ namespace, subject, holder: holderOf(subject), body, createdAt: tx.now() });
};

/** The context of a subject; undefined for what no platform caused. */
export const contextOf = async (
  reads: Reads,
  namespace: string,
  subject: string,
): Promise<ConnectorContext | undefined> => {
  const row = await reads.connectorContexts.get({ namespace, subject });
  return row === undefined ? undefined : (JSON.parse(row.body) as ConnectorContext);
};

/** The context of the newest message of a session that came from a platform; message ids are in the order of their age. */
export const newestContext = async (reads: Reads, sessionId: string): Promise<ConnectorContext | undefined> => {
  const [row] = await reads.connectorContexts.page('ofHolder', { holder: sessionHolder(sessionId) }, { limit: 1 });
  return row === undefined ? undefined : (JSON.parse(row.body) as ConnectorContext);
};
