import { TurnState } from '@svc/api/data';
import type { ReportUsageResponse } from '@svc/api/gateway';
import type { Resource, Template } from '@svc/api/resources';
import type { Client } from '@svc/client';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useRead, useWrite } from '../../api/use-call.ts';
import { countSessions, type SessionCount } from './session-counts.ts';
import { REFERRING_KINDS, referenceTo } from './uses-of.ts';

/** What names an agent. */
export interface AgentName {
  readonly ns: string;
  readonly name: string;
}

const SESSION_PAGES = 10;

/** Sessions of a namespace by agent, of the first 2,000. */
export const useSessionCounts = (ns: string): UseQueryResult<ReadonlyMap<string, SessionCount>> =>
  useRead({
    key: ['ListResources', 'Session', 'counts', ns],
    call: async (client, signal) => countSessions(await listAll(client, { kind: 'Session', ns }, signal)),
    shows: { kinds: ['Session'] },
  });

const listAll = async (
  client: Client,
  asked: { readonly kind: string; readonly ns: string },
  signal: AbortSignal,
): Promise<readonly Resource[]> => {
  const found: Resource[] = [];
  let pageToken = '';
  for (let page = 0; page < SESSION_PAGES; page++) {
    const answer = await client.resources.listResources({ ...asked, pageSize: 200, pageToken }, { signal });
    found.push(...answer.resources);
    pageToken = answer.nextPageToken;
    if (pageToken === '') break;
  }
  return found;
};

const DAY_MICROS = 86_400_000_000n;

/** What the agent used on each of the last 7 days (UTC). */
export const useAgentUsage = ({ ns, name }: AgentName): UseQueryResult<ReportUsageResponse> =>
  useRead({
    key: ['ReportUsage', ns, name],
    call: (client, signal) => {
      const until = BigInt(Date.now()) * 1_000n;
      return client.usage.reportUsage(
        { ns, agent: name, by: 'day', since: until - 6n * DAY_MICROS, until },
        { signal },
      );
    },
    shows: { topics: ['turn'] },
  });

/** A turn that ended with an error. */
export interface FailedTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly at: bigint;
  readonly error: string;
}

const LOOKED_AT = 20;

/** Turns of the last 7 days that failed, newest first, of the 20 sessions that were active last. */
export const useFailedTurns = ({ ns, name }: AgentName): UseQueryResult<readonly FailedTurn[]> =>
  useRead({
    key: ['ListTurns', 'failed', ns, name],
    call: async (client, signal) => {
      const since = BigInt(Date.now()) * 1_000n - 7n * DAY_MICROS;
      const { sessions } = await client.gateway.listSessions({ ns, agent: name, pageSize: LOOKED_AT }, { signal });
      const lists = await Promise.all(
        sessions.map(async ({ sessionId }) => {
          const asked = { ns, agent: name, sessionId, state: TurnState.FAILED, pageSize: 20 };
          return (await client.sessionControl.listTurns(asked, { signal })).turns;
        }),
      );
      return lists
        .flat()
        .map(({ id, sessionId, finishedAt, createdAt, error }) => ({
          id,
          sessionId,
          at: finishedAt ?? createdAt,
          error,
        }))
        .filter(({ at }) => at >= since)
        .sort((left, right) => Number(right.at - left.at));
    },
    shows: { topics: ['turn'] },
  });

/** A resource that refers to the agent, and how. */
export interface AgentUse {
  readonly resource: Resource;
  readonly how: string;
}

/** Resources of the agent's namespace that refer to it. */
export const useAgentUses = ({ ns, name }: AgentName): UseQueryResult<readonly AgentUse[]> =>
  useRead({
    key: ['uses of agent', ns, name],
    call: async (client, signal) => {
      const lists = await Promise.all(REFERRING_KINDS.map((kind) => listAll(client, { kind, ns }, signal)));
      return lists.flat().flatMap((resource) => {
        const how = referenceTo(resource, { ns, name });
        return how === undefined ? [] : [{ resource, how }];
      });
    },
    shows: { kinds: REFERRING_KINDS },
  });

/** A tool of a model call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly tokens: bigint;
}

/** The tools of the newest model call; 'never' when there was none, 'lost' when it is no longer kept. */
export interface Offered {
  readonly state: 'known' | 'never' | 'lost';
  readonly at: bigint;
  readonly tools: readonly OfferedTool[];
}

const NEVER: Offered = { state: 'never', at: 0n, tools: [] };

/** What the model was offered in the newest call of the agent's newest session. */
export const useOffered = ({ ns, name }: AgentName, sessionId: string): UseQueryResult<Offered> =>
  useRead({
    key: ['GetStepRequest', 'tools', ns, name, sessionId],
    call: async (client, signal) => {
      if (sessionId === '') return NEVER;
      const session = { ns, agent: name, sessionId };
      const [turn] = (await client.sessionControl.listTurns({ ...session, pageSize: 1 }, { signal })).turns;
      if (turn === undefined) return NEVER;
      const inTurn = { ...session, turnId: turn.id };
      const step = (await client.sessionControl.listSteps(inTurn, { signal })).steps.at(-1);
      if (step === undefined) return NEVER;
      const { pieces } = await client.sessionControl.getStepRequest({ ...inTurn, step: step.step }, { signal });
      const tools = pieces.filter(({ source }) => source === 'tool').map(offeredTool);
      return { state: pieces.length === 0 ? 'lost' : 'known', at: step.startedAt, tools };
    },
    shows: { topics: ['turn'] },
  });

const offeredTool = (piece: { readonly name: string; readonly text: string; readonly tokens: bigint }): OfferedTool => {
  const described = JSON.parse(piece.text) as { readonly description?: string };
  return { name: piece.name, description: described.description ?? '', tokens: piece.tokens };
};

/** Templates that agents can be made from. */
export const useAgentTemplates = (): UseQueryResult<readonly Template[]> =>
  useRead({
    key: ['ListAgentTemplates'],
    call: async (client, signal) => (await client.gateway.listAgentTemplates({ pageSize: 200 }, { signal })).templates,
    shows: { kinds: ['Template'] },
  });

interface Rebase {
  readonly agent: AgentName;
  readonly template: string;
  readonly resourceVersion: string;
  readonly spec: NonNullable<Parameters<Client['gateway']['modifyAgent']>[0]['spec']>;
}

/** Puts an agent on a template: the spec is patched over that of the template. */
export const useRebase = (onDone: () => void): UseMutationResult<unknown, Error, Rebase> =>
  useWrite<Rebase, unknown>(
    (client, { agent, ...rest }) => client.gateway.modifyAgent({ ns: agent.ns, agent: agent.name, ...rest }),
    { changes: { kinds: ['Agent'] }, onDone },
  );
