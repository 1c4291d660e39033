import type { PermissionRequest, Turn } from '@svc/api/data';
import type { SessionResponse } from '@svc/api/gateway';
import type { Agent, ModelProfile } from '@svc/api/resources';
import type { SessionKey } from '@svc/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useCan, useClient } from '../../access/access-context.ts';
import { useRead } from '../../api/use-call.ts';
import { useLiveEvents } from '../../live/live-context.ts';
import { pacedFrames } from '../../ui/paced-frames.ts';
import { Conversation, type ConversationView } from './conversation/index.ts';

/** The session of the address. */
export const useSessionKey = (): SessionKey => {
  const { ns = '', agent = '', sessionId = '' } = useParams({ strict: false });
  return useMemo(() => ({ ns, agent, sessionId }), [ns, agent, sessionId]);
};

/** A conversation that follows its session while it is shown. */
export const useConversation = (
  key: SessionKey,
): { readonly conversation: Conversation; readonly view: ConversationView } => {
  const client = useClient();
  // A person who signs in again keeps the conversation that is shown.
  const latest = useRef(client);
  const conversation = useMemo(
    () =>
      new Conversation({
        session: {
          messages: (...asked) => latest.current.session(key).messages(...asked),
          stream: (options) => latest.current.session(key).stream(options),
        },
        soon: pacedFrames(),
      }),
    [key],
  );
  useEffect(() => {
    latest.current = client;
    conversation.start();
    return conversation.stop;
  }, [conversation, client]);
  useLiveEvents('message', (data) => {
    if (isOf(data, key)) void conversation.refresh();
  });
  const view = useSyncExternalStore(conversation.watch, () => conversation.view);
  return { conversation, view };
};

const isOf = (data: unknown, { ns, agent, sessionId }: SessionKey): boolean =>
  typeof data === 'object' &&
  data !== null &&
  'ns' in data &&
  'agent' in data &&
  'sessionId' in data &&
  data.ns === ns &&
  data.agent === agent &&
  data.sessionId === sessionId;

/** State, queue, tokens and labels of a session, without its messages. */
export const useSessionFacts = (key: SessionKey): UseQueryResult<SessionResponse> =>
  useRead({
    key: ['GetSession', key],
    call: (client, signal) => client.session(key).get(-1, { signal }),
    shows: { topics: ['session', 'turn'] },
  });

/** What the active turn asks people. */
export const useOpenRequests = (key: SessionKey, turnId: string): readonly PermissionRequest[] => {
  const found = useRead<Turn | undefined>({
    key: ['GetTurn', key, turnId],
    call: async (client, signal) => (await client.sessionControl.getTurn({ ...key, turnId }, { signal })).turn,
    shows: { topics: ['turn'] },
    enabled: turnId !== '',
  });
  return turnId === '' || found.data?.id !== turnId ? [] : found.data.pendingPermissions;
};

/** The agent of the session; undefined while it is loaded, and where it cannot be read. */
export const useSessionAgent = ({ ns, agent }: SessionKey): Agent | undefined => {
  const found = useRead({
    key: ['GetAgent', ns, agent],
    call: (client, signal) => client.gateway.getAgent({ ns, name: agent }, { signal }),
    shows: { kinds: ['Agent'] },
  });
  return found.data?.agent;
};

/** The models that the agent offers to choose from for one message. */
export const useProfiles = (session: SessionKey): readonly ModelProfile[] =>
  useSessionAgent(session)?.spec?.modelPolicy?.profiles ?? [];

/** True where the person may have sessions run with something else than their agent says. */
export const useMayOverride = (session: SessionKey): boolean => {
  const can = useCan();
  const agent = useSessionAgent(session);
  const isOpen = agent?.metadata?.annotations['option.svc/overrides'] === 'operator';
  const isExternal = agent?.spec?.runtime?.kind === 'acp';
  return !isExternal && can(isOpen ? 'operator' : 'admin', { ns: session.ns, agent: session.agent });
};
