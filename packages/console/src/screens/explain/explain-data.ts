import type { ExplainChannelMessageResponse, ExplainMessageEventResponse } from '@svc/api/gateway';
import type { UseMutationResult } from '@tanstack/react-query';
import { useRead, useWrite } from '../../api/use-call.ts';
import type { Explainable } from './explain-key.ts';

/** A message of a platform, as a person makes it up. */
export interface MadeEvent {
  readonly text: string;
  readonly matchFields: Readonly<Record<string, string>>;
  readonly conversation: string;
  readonly thread: string;
  readonly sender: string;
  readonly senderKind: string;
}

/** Asks what would become of an event; nothing is taken. */
export const useExplainEvent = ({
  ns,
  name,
}: Explainable): UseMutationResult<ExplainMessageEventResponse, Error, MadeEvent> =>
  useWrite((client, { text, matchFields, conversation, thread, sender, senderKind }: MadeEvent) =>
    client.routing.explainMessageEvent({
      ns,
      connector: name,
      event: {
        text,
        matchFields: { ...matchFields },
        externalConversationId: conversation,
        ...(thread !== '' && { externalThreadId: thread }),
        sender: { externalId: sender, kind: senderKind },
      },
    }),
  );

/** A message of a channel, as a person makes it up. */
export interface MadeMessage {
  readonly content: string;
  readonly author: string;
  readonly isOfAgent: boolean;
  /** Above 0: as if the agent published it after so many agents had answered each other. */
  readonly hops: number;
  readonly subscriptionNames: readonly string[];
}

/** Asks what would become of a message; nothing is posted. */
export const useExplainMessage = ({
  ns,
  name,
}: Explainable): UseMutationResult<ExplainChannelMessageResponse, Error, MadeMessage> =>
  useWrite((client, { content, author, isOfAgent, hops, subscriptionNames }: MadeMessage) =>
    client.routing.explainChannelMessage({
      ns,
      channel: name,
      content,
      author,
      authorKind: isOfAgent ? 'agent' : '',
      hops: isOfAgent ? hops : 0,
      subscriptionNames: [...subscriptionNames],
    }),
  );

/** The match fields of a connector, to begin with. */
export const useMatchFields = ({ ns, name }: Explainable) =>
  useRead({
    key: ['match fields', ns, name],
    call: async (client, signal) => {
      const { resource } = await client.resources.getResource({ ns, kind: 'Connector', name }, { signal });
      const spec = resource?.spec?.kind;
      return spec?.case === 'connector' ? spec.value.matchFields : {};
    },
    shows: { kinds: ['Connector'] },
    keepsFormer: false,
  });

/** Names of the subscriptions of a channel that are called only by name. */
export const useManualNames = ({ ns, name }: Explainable) =>
  useRead({
    key: ['manual subscriptions', ns, name],
    call: async (client, signal) => {
      const { subscriptions } = await client.gateway.listChannelSubscriptions({ ns, channel: name }, { signal });
      return subscriptions.flatMap(({ metadata, spec }) => (spec?.trigger === 'manual' ? [metadata?.name ?? ''] : []));
    },
    shows: { kinds: ['ChannelSubscription'] },
    keepsFormer: false,
  });
