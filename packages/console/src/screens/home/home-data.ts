import type { Delivery, WorkflowRun } from '@svc/api/data';
import type { Resource } from '@svc/api/resources';
import type { Client } from '@svc/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { inNamespacesWith } from '../../api/namespaces-with.ts';
import { useRead } from '../../api/use-call.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useLiveEvents } from '../../live/live-context.ts';
import type { Existing } from './home-facts.ts';

/** Resources of a kind in every namespace, those of the first page. */
export const useAll = (kind: string): UseQueryResult<readonly Resource[]> =>
  useRead({
    key: ['home', kind],
    call: async (client, signal) =>
      (await client.resources.listResources({ ns: EVERYWHERE, kind }, { signal })).resources,
    shows: { kinds: [kind] },
  });

/** The newest deliveries of every namespace. */
export const useDeliveries = (): UseQueryResult<readonly Delivery[]> =>
  useRead({
    key: ['home deliveries'],
    call: (client, signal) =>
      inNamespacesWith({ client, scope: EVERYWHERE, signal }, ['Connector', 'ConnectorClass'], async (ns) => {
        const { deliveries } = await client.deliveries.listDeliveries({ ns }, { signal });
        return deliveries;
      }),
    shows: { topics: ['delivery'] },
  });

/** The newest runs of every namespace. */
export const useRuns = (): UseQueryResult<readonly WorkflowRun[]> =>
  useRead({
    key: ['home runs'],
    call: (client, signal) =>
      inNamespacesWith({ client, scope: EVERYWHERE, signal }, ['Workflow'], async (ns) => {
        const { runs } = await client.workflows.listRuns({ ns, workflow: '-' }, { signal });
        return runs;
      }),
    shows: { topics: ['run'] },
  });

/** A conversation as Home shows it. */
export interface Conversation {
  readonly ns: string;
  readonly agent: string;
  readonly id: string;
  /** Unix microseconds of the last activity. */
  readonly at: bigint;
  /** IDLE, PROCESSING or WAITING. */
  readonly state: string;
}

/** Agents whose conversations are asked for; more would make Home slow. */
export const AGENTS_ASKED = 40;

/** The newest conversations of the agents, asked once: the live stream tells of later activity. */
export const useConversations = (agents: readonly Resource[] | undefined): UseQueryResult<readonly Conversation[]> =>
  useRead({
    key: ['home conversations', agents?.map(({ metadata }) => metadata?.uid)],
    call: (client, signal) => conversationsOf(client, (agents ?? []).slice(0, AGENTS_ASKED), signal),
    enabled: agents !== undefined,
  });

const conversationsOf = async (
  client: Client,
  agents: readonly Resource[],
  signal: AbortSignal,
): Promise<readonly Conversation[]> => {
  const lists = await Promise.all(
    agents.map(async ({ metadata }) => {
      const [ns, agent] = [metadata?.namespace ?? '', metadata?.name ?? ''];
      const { sessions } = await client.gateway.listSessions({ ns, agent, pageSize: 50 }, { signal });
      return sessions.map(({ sessionId, updatedAt, state }) => ({ ns, agent, id: sessionId, at: updatedAt, state }));
    }),
  );
  return lists.flat();
};

/** A turn as the live stream tells of it. */
interface TurnEvent {
  readonly id: string;
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly state: string;
  readonly error: string;
}

/** A turn that moved since this page was opened. */
export interface LiveTurn extends TurnEvent {
  /** Unix microseconds at which the page heard of it. */
  readonly at: bigint;
}

const TURNS_KEPT = 500;

/** The newest state of each turn that moved since Home was opened, the latest first. */
export const useLiveTurns = (): readonly LiveTurn[] => {
  const [turns, setTurns] = useState<readonly LiveTurn[]>([]);
  useLiveEvents('turn', (data) => {
    const { id, ns, agent, sessionId, state, error = '' } = data as TurnEvent;
    const heard = { id, ns, agent, sessionId, state, error, at: BigInt(Date.now()) * 1_000n };
    setTurns((before) => [heard, ...before.filter((turn) => turn.id !== id)].slice(0, TURNS_KEPT));
  });
  return turns;
};

const STATES: Readonly<Record<string, string>> = {
  TURN_STATE_QUEUED: 'PROCESSING',
  TURN_STATE_RUNNING: 'PROCESSING',
  TURN_STATE_WAITING: 'WAITING',
};

/** The conversations, with what the live stream said since. */
export const withTurns = (
  conversations: readonly Conversation[],
  turns: readonly LiveTurn[],
): readonly Conversation[] => {
  const known = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  for (const { ns, agent, sessionId, state, at } of turns.toReversed()) {
    known.set(sessionId, { ns, agent, id: sessionId, at, state: STATES[state] ?? 'IDLE' });
  }
  return [...known.values()].sort((one, other) => (one.at > other.at ? -1 : 1));
};

/** What the first steps ask for. */
export const useExisting = (isEnabled: boolean): UseQueryResult<Existing> =>
  useRead({
    key: ['home existing'],
    call: async (client, signal) => {
      const count = async (kind: string, isCounted = (_: Resource): boolean => true): Promise<number> => {
        const list = { ns: EVERYWHERE, kind, metadataOnly: true, pageSize: 20 };
        return (await client.resources.listResources(list, { signal })).resources.filter(isCounted).length;
      };
      const [sessions, secrets, ownAgents, servers, channels, connectors] = await Promise.all([
        count('Session'),
        count('Secret'),
        count('Agent', ({ metadata }) => metadata?.name !== 'demo'),
        count('McpServer'),
        count('Channel'),
        count('Connector'),
      ]);
      return { sessions, secrets, ownAgents, tools: servers, rooms: channels + connectors };
    },
    shows: { kinds: ['Session', 'Secret', 'Agent', 'McpServer', 'Channel', 'Connector'], topics: ['session'] },
    enabled: isEnabled,
  });
