import type { SessionListItem, SessionResponse } from '@svc/api/gateway';
import { SessionSchema } from '@svc/api/resources';
import type { Client, SessionKey } from '@svc/client';
import { isSvcError, SvcError } from '@svc/client';
import { age, creationMs } from '../terminal/index.ts';
import { collectPages, type Item, type Kind, requirePlainRemoval, type Scope } from './kind.ts';
import { labelText, resourceJson } from './resource-json.ts';

/** Agents that a search by session id looks at; more and the person has to name one. */
const AGENTS_SEARCHED = 1_000;

/** Names of the agents that a command about sessions covers. */
const agentNames = async (scope: Pick<Scope, 'client' | 'namespace' | 'agent'>): Promise<readonly string[]> => {
  if (scope.agent !== undefined) return [scope.agent];
  const agents = await collectPages(AGENTS_SEARCHED, async (pageToken, pageSize) => {
    const request = { ns: scope.namespace, pageToken, pageSize, metadataOnly: true };
    const page = await scope.client.gateway.listAgents(request);
    return { items: page.agents, next: page.nextPageToken };
  });
  return agents.flatMap((agent) => agent.metadata?.name ?? []);
};

/** Finds a session by its id or canonical name; without an agent, every agent of the namespace is asked. */
export const findSession = async (
  scope: { readonly client: Client; readonly namespace: string; readonly agent: string | undefined },
  name: string,
): Promise<SessionResponse & { readonly key: SessionKey }> => {
  const canonical = /^@Namespace\/([^/]+)\/Agent\/([^/]+)\/@\/Session\/([^/]+)$/.exec(name);
  const [ns, agent, sessionId] = canonical?.slice(1).map(decodeURIComponent) ?? [scope.namespace, scope.agent, name];
  const place = { client: scope.client, namespace: ns ?? scope.namespace, agent };
  for (const candidate of await agentNames(place)) {
    const key = { ns: place.namespace, agent: candidate, sessionId: sessionId ?? name };
    try {
      const found = await scope.client.gateway.getSession({ ...key, messageLimit: -1 });
      return { ...found, key };
    } catch (error) {
      if (!isSvcError(error) || error.reason !== 'SESSION_NOT_FOUND') throw error;
    }
  }
  throw new SvcError({
    code: 'NOT_FOUND',
    reason: 'SESSION_NOT_FOUND',
    message: `session not found: ${place.namespace}/${name}`,
  });
};

const rowOf = (scope: Scope, agent: string, session: Omit<SessionListItem, '$typeName'>): Item => {
  const now = scope.world.nowMs();
  const created = creationMs(session.sessionId) ?? Number(session.createdAt) / 1_000;
  const active = Number(session.updatedAt) / 1_000;
  return {
    name: session.sessionId,
    namespace: scope.namespace,
    json: {
      apiVersion: 'svc/v1',
      kind: 'Session',
      metadata: { name: session.sessionId, namespace: scope.namespace, labels: session.labels },
      spec: { agent },
      status: { phase: session.state, createdAt: String(session.createdAt), lastActive: String(session.updatedAt) },
    },
    cells: [session.sessionId, agent, session.state, age(active, now)],
    wideCells: [age(created, now), labelText(session.labels)],
  };
};

export const sessionKind: Kind = {
  name: 'Session',
  plural: 'sessions',
  words: ['session', 'sessions'],
  isNamespaced: true,
  headings: ['id', 'agent', 'state', 'active'],
  wideHeadings: ['age', 'labels'],
  list: async (scope) => {
    const items: Item[] = [];
    for (const agent of await agentNames(scope)) {
      const limit = scope.limit - items.length;
      if (limit <= 0) break;
      const found = await collectPages(limit, async (pageToken, pageSize) => {
        const request = { ns: scope.namespace, agent, pageToken, pageSize, labelSelector: scope.selector };
        const page = await scope.client.gateway.listSessions(request);
        return { items: page.sessions, next: page.nextPageToken };
      });
      items.push(...found.map((session) => rowOf(scope, agent, session)));
    }
    return items;
  },
  get: async (scope, name) => {
    const found = await findSession(scope, name);
    const status = found.session?.status;
    const now = scope.world.nowMs();
    return {
      name: found.sessionId,
      namespace: found.key.ns,
      json: found.session === undefined ? {} : resourceJson(SessionSchema, found.session),
      cells: [found.sessionId, found.agent, found.state, age(Number(status?.lastActive ?? 0) / 1_000, now)],
      wideCells: [age(creationMs(found.sessionId) ?? now, now), labelText(found.labels)],
    };
  },
  remove: async (scope, name, options) => {
    requirePlainRemoval('Session', options);
    const { key } = await findSession(scope, name);
    await scope.client.session(key).delete();
    return 'deleted';
  },
  itemOf: (scope, { metadata, spec, status }) => {
    const facts = status?.kind.case === 'session' ? status.kind.value : undefined;
    const agent = spec?.kind.case === 'session' ? spec.kind.value.agent : '';
    const item = {
      ...{ sessionId: metadata?.name ?? '', state: facts?.phase ?? '', labels: metadata?.labels ?? {} },
      ...{ createdAt: facts?.createdAt ?? 0n, updatedAt: facts?.lastActive ?? 0n },
    };
    return rowOf({ ...scope, namespace: metadata?.namespace ?? scope.namespace }, agent, item);
  },
};
