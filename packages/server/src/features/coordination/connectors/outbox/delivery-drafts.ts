import type { ConnectorContext } from '../context/index.ts';
import type { DeliveryDraft, DeliverySource } from './delivery-record.ts';
import type { LiveConnector } from './live-connector.ts';
import { replyPlace } from './reply-rules.ts';

/** What is said, and where it was said first. */
export interface Reply extends Pick<DeliveryDraft, 'namespace' | 'subject' | 'text' | 'attachments' | 'source'> {
  readonly isFixed?: boolean;
  /** Labels in addition to those that say where the reply comes from. */
  readonly labels?: Readonly<Record<string, string>>;
}

const LABEL_OF: readonly (readonly [keyof DeliverySource, string])[] = [
  ['sessionId', 'svc.session'],
  ['agent', 'svc.agent'],
  ['messageId', 'svc.sessionMessage'],
  ['channel', 'svc.channel'],
  ['channelMessageId', 'svc.channelMessage'],
  ['workflow', 'svc.workflow'],
  ['runId', 'svc.workflowRun'],
  ['requestId', 'svc.request'],
];

/** A question belongs to the session that asks it, or to the channel in which that session answers. */
const replySource = ({ kind, channelUid }: DeliverySource): string => {
  if (kind !== 'request') return kind;
  return channelUid === undefined ? 'session' : 'channel';
};

/** The delivery of a reply to the event that caused it; in review it waits until a person releases it. */
export const replyDraft = (context: ConnectorContext, live: LiveConnector, reply: Reply): DeliveryDraft => {
  const { namespace, subject, text, attachments, source, isFixed = false, labels = {} } = reply;
  const { classUid, className, classNamespace, registrationId, connectorUid, connectorName, eventId } = context;
  const named = LABEL_OF.flatMap(([field, label]) => {
    const value = source[field] ?? '';
    return value === '' ? [] : [[label, value]];
  });
  return {
    namespace,
    subject,
    text,
    attachments,
    source,
    isFixed,
    classUid,
    className,
    classNamespace,
    registrationId,
    connectorUid,
    connector: connectorName,
    matchFields: live.matchFields,
    ...replyPlace(context, live.mode),
    state: live.mode === 'hold_for_review' ? 'held' : 'pending',
    labels: {
      'svc.replySource': replySource(source),
      'svc.connectorEvent': eventId,
      ...Object.fromEntries(named),
      ...labels,
    },
  };
};
