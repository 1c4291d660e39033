import type { ChannelMessage } from '@svc/api/data';
import type { ChannelEvent } from '@svc/api/events';
import type { Channel, ChannelSubscription, Resource } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import { useEffect, useState } from 'react';
import { useClient } from '../../access/access-context.ts';
import { usePages, useRead, useWrite } from '../../api/use-call.ts';
import { isFinal } from '../../live/is-final.ts';
import { pauseFor } from '../../live/pause-for.ts';

/** Names a channel. */
export interface ChannelKey {
  readonly ns: string;
  readonly name: string;
}

export const useChannels = (ns: string) =>
  usePages({
    key: ['channels', ns],
    call: (client, pageToken, signal) => client.resources.listResources({ ns, kind: 'Channel', pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: { kinds: ['Channel'], topics: ['channel'] },
  });

/** The channel in a resource. */
export const channelOf = ({ spec, status }: Resource) => ({
  title: spec?.kind.case === 'channel' ? spec.kind.value.title : '',
  phase: status?.kind.case === 'channel' ? status.kind.value.phase : '',
  updatedAt: status?.kind.case === 'channel' ? status.kind.value.updatedAt : 0n,
});

export const useChannel = ({ ns, name }: ChannelKey) =>
  useRead({
    key: ['GetChannel', ns, name],
    call: async (client, signal) => (await client.gateway.getChannel({ ns, name }, { signal })).channel,
    shows: { kinds: ['Channel'] },
    keepsFormer: false,
  });

const PAGE = 50;

/** Messages in pages, the newest page first, each oldest first. */
export const useMessages = ({ ns, name }: ChannelKey) =>
  usePages({
    key: ['ListChannelMessages', ns, name],
    call: (client, before, signal) =>
      client.gateway.listChannelMessages(
        { ns, channel: name, pageSize: PAGE, ...(before !== '' && { beforeMessageId: before }) },
        { signal },
      ),
    nextToken: (page) => page.nextBeforeMessageId ?? '',
    shows: { topics: ['channel'] },
  });

/** All messages of the loaded pages, oldest first. */
export const inOrder = (
  pages: readonly { readonly messages: readonly ChannelMessage[] }[],
): readonly ChannelMessage[] =>
  pages.flatMap(({ messages }) => messages).sort((one, other) => (one.id < other.id ? -1 : 1));

const EVENTS_KEPT = 2_000;
const PAUSE_MS = 3_000;

/**
 * Everything that happened in the channel as far back as it is kept, then what happens: only these events tell where messages went.
 * `isLost` while the connection is down; it continues where it was. `error` is set, and nothing more is tried, where it cannot be read.
 */
export const useChannelEvents = ({ ns, name }: ChannelKey) => {
  const client = useClient();
  const [events, setEvents] = useState<readonly ChannelEvent[]>([]);
  const [isLost, setLost] = useState(false);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let after = '0';
    /** Answers an error that another try does not mend. */
    const readOnce = async (): Promise<Error | undefined> => {
      try {
        const stream = client.gateway.streamChannelEvents(
          { ns, channel: name, after },
          { signal, onOpen: () => setLost(false) },
        );
        for await (const event of stream) {
          after = event.cursor;
          setEvents((before) => [...before, event].slice(-EVENTS_KEPT));
        }
      } catch (thrown) {
        if (isFinal(thrown)) return thrown;
        // The page says that news is missing; the next try continues behind the last event that is kept.
        if (isSvcError(thrown) && thrown.reason === 'CURSOR_EXPIRED') {
          after = '0';
          setEvents([]);
        }
      }
      return undefined;
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        const found = await readOnce();
        if (signal.aborted) return;
        setLost(found === undefined);
        if (found !== undefined) return setError(found);
        await pauseFor(PAUSE_MS, signal);
      }
    };
    setEvents([]);
    setError(undefined);
    void follow();
    return () => stop.abort();
  }, [client, ns, name]);
  return { events, isLost, error };
};

export const useSubscriptions = ({ ns, name }: ChannelKey) =>
  useRead({
    key: ['ListChannelSubscriptions', ns, name],
    call: async (client, signal) =>
      (await client.gateway.listChannelSubscriptions({ ns, channel: name }, { signal })).subscriptions,
    shows: { kinds: ['ChannelSubscription'] },
    keepsFormer: false,
  });

const CHANGES = { changes: { kinds: ['Channel', 'ChannelSubscription'], topics: ['channel'] } };

interface Post {
  readonly content: string;
  readonly author: string;
  /** Subscriptions of trigger manual to call. */
  readonly subscriptionNames: readonly string[];
}

export const usePost = ({ ns, name }: ChannelKey, onDone: () => void) =>
  useWrite(
    (client, { content, author, subscriptionNames }: Post) =>
      client.gateway.postChannelMessage({
        ns,
        channel: name,
        content,
        author,
        subscriptionNames: [...subscriptionNames],
      }),
    { ...CHANGES, onDone },
  );

/** Opens or closes a channel. */
export const useSetPhase = ({ ns, name }: ChannelKey) =>
  useWrite(
    (client, { channel, phase }: { readonly channel: Channel; readonly phase: 'open' | 'closed' }) =>
      client.gateway.modifyChannel({
        ns,
        name,
        channel: {
          ...(channel.metadata && { metadata: channel.metadata }),
          ...(channel.spec && { spec: channel.spec }),
          status: { phase },
        },
      }),
    CHANGES,
  );

export const useDeleteChannel = ({ ns, name }: ChannelKey, onDone: () => void) =>
  useWrite((client, _: undefined) => client.gateway.deleteChannel({ ns, name }), { ...CHANGES, onDone });

interface NewSubscription {
  readonly agent: string;
  readonly trigger: string;
  readonly replyMode: string;
}

export const useSubscribe = ({ ns, name }: ChannelKey, onDone: () => void) =>
  useWrite(
    (client, { agent, trigger, replyMode }: NewSubscription) =>
      client.gateway.createChannelSubscription({
        ns,
        channel: name,
        subscription: { metadata: { name: agent, namespace: ns }, spec: { channel: name, agent, trigger, replyMode } },
      }),
    { ...CHANGES, onDone },
  );

/** Enables or disables a subscription. */
export const useSwitch = ({ ns, name }: ChannelKey) =>
  useWrite(
    (client, { metadata, spec }: ChannelSubscription) =>
      client.gateway.modifyChannelSubscription({
        ns,
        channel: name,
        name: metadata?.name ?? '',
        subscription: {
          ...(metadata && { metadata }),
          ...(spec && { spec: { ...spec, enabled: spec.enabled === false } }),
        },
      }),
    CHANGES,
  );

export const useUnsubscribe = ({ ns, name: channel }: ChannelKey) =>
  useWrite((client, name: string) => client.gateway.deleteChannelSubscription({ ns, channel, name }), CHANGES);

/** Names of the agents of a namespace, as far as the first page goes. */
export const useAgentNames = (ns: string) =>
  useRead({
    key: ['agent names', ns],
    call: async (client, signal) => {
      const { agents } = await client.gateway.listAgents({ ns, metadataOnly: true }, { signal });
      return agents.map(({ metadata }) => metadata?.name ?? '');
    },
    shows: { kinds: ['Agent'] },
  });
