import type { ConnectorMessageEvent } from '@svc/api/external';
import { checkLabels } from '../../../../resources/index.ts';
import type { ConnectorContext } from './connector-context.ts';

/** Labels of the event that are shown as labels of its message. */
const EVENT_LABELS = 16;

/** The source of every message of a connector, as its label and as the cause of its turn. */
export const SOURCE = 'connector';

/**
 * Labels of what an event became: a readable projection of its context, which no one reads back. What does not have the form of a label
 * is left out.
 */
export const eventLabels = (
  context: ConnectorContext,
  event: Pick<ConnectorMessageEvent, 'matchFields' | 'labels'>,
): Readonly<Record<string, string>> => {
  const given: readonly (readonly [string, string])[] = [
    ['external-conversation', context.conversationId],
    ['external-thread', context.threadId],
    ['external-message', context.messageId],
    ['external-sender', context.sender.externalId],
    ['external-sender-name', context.sender.name],
    ['conversation-type', context.conversationType],
  ];
  const labels: readonly (readonly [string, string])[] = [
    ['message-source', SOURCE],
    ['connector', context.connectorName],
    ['connector-class', context.className],
    ['connector-registration', context.registrationId],
    ['connector-event', context.eventId],
    ['connector-reply-mode', context.replyMode],
    ...Object.entries(event.matchFields).map(([field, value]) => [`connector-match.${field}`, value] as const),
    ...given.filter(([, value]) => value.trim() !== ''),
    ...Object.entries(event.labels)
      .slice(0, EVENT_LABELS)
      .map(([key, value]) => [`event-label.${key}`, value] as const),
  ];
  return Object.fromEntries(
    labels
      .map(([key, value]) => [`svc/${key}`, value] as const)
      .filter(([key, value]) => checkLabels({ [key]: value }, 'labels').length === 0),
  );
};
