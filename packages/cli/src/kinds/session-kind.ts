import type { JsonObject } from '@bufbuild/protobuf';
import type { SessionKey } from '@svc/client';
import { isSvcError, SvcError } from '@svc/client/error';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { age, creationMs } from '../terminal/index.ts';
import { type Item, type Kind, listItems, requirePlainRemoval, type Scope } from './kind.ts';
import { labelText, manifestForm } from './resource-json.ts';

/** Agents that a search by session id looks at; more and the person has to name one. */
const AGENTS_SEARCHED = 1_000;

/** Names of the agents that a command about sessions covers. */
const agentNames = async ({ call, namespace: ns, agent }: Place): Promise<readonly string[]> => {
  if (agent !== undefined) return [agent];
  const request = { ns, metadataOnly: true, member: 'agents' };
  const agents = await listItems({ call, limit: AGENTS_SEARCHED }, 'GatewayService/ListAgents', request);
  return agents.map(({ metadata }) => textOf(mapOf(metadata)['name']));
};

type Place = Pick<Scope, 'call' | 'namespace' | 'agent'>;

/** Finds a session by its id or canonical name; without an agent, every agent of the namespace is asked. */
export const findSession = async (
  scope: Place,
  name: string,
): Promise<{ readonly key: SessionKey; readonly session: JsonObject }> => {
  const canonical = /^@Namespace\/([^/]+)\/Agent\/([^/]+)\/@\/Session\/([^/]+)$/.exec(name);
  const [ns, agent, sessionId] = canonical?.slice(1).map(decodeURIComponent) ?? [scope.namespace, scope.agent, name];
  const place = { call: scope.call, namespace: ns ?? scope.namespace, agent };
  for (const candidate of await agentNames(place)) {
    const key = { ns: place.namespace, agent: candidate, sessionId: sessionId ?? name };
    try {
      return { session: await scope.call('GatewayService/GetSession', { ...key, messageLimit: -1 }), key };
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

/** What lists and watches tell of a session. */
interface SessionFacts {
  readonly agent: string;
  readonly sessionId: string;
  readonly namespace: string;
  readonly state: string;
  /** Unix microseconds as text. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly labels: JsonObject;
}

const rowOf = (scope: Scope, session: SessionFacts): Item => {
  const { agent, sessionId, namespace, state, createdAt, updatedAt, labels } = session;
  const now = scope.world.nowMs();
  return {
    name: sessionId,
    namespace,
    json: {
      apiVersion: 'svc/v1',
      kind: 'Session',
      metadata: { name: sessionId, namespace, labels },
      spec: { agent },
      status: { phase: state, createdAt, lastActive: updatedAt },
    },
    cells: [sessionId, agent, state, age(msOf(updatedAt), now)],
    wideCells: [age(creationMs(sessionId) ?? msOf(createdAt), now), labelText(labels)],
  };
};

/** Sessions, by calls of their own: those are what a grant on one agent or session allows. */
export const sessionKind: Kind = {
  name: 'Session',
  plural: 'sessions',
  words: ['session', 'sessions'],
  isNamespaced: true,
  headings: ['id', 'agent', 'state', 'active'],
  wideHeadings: ['age', 'labels'],
  list: async (scope) => {
    const items: Item[] = [];
    const { namespace } = scope;
    for (const agent of await agentNames(scope)) {
      const limit = scope.limit - items.length;
      if (limit <= 0) break;
      const request = { ns: namespace, agent, labelSelector: scope.selector, member: 'sessions' };
      const found = await listItems({ call: scope.call, limit }, 'GatewayService/ListSessions', request);
      for (const session of found) {
        const [sessionId, state] = [textOf(session['sessionId']), textOf(session['state'])];
        const [createdAt, updatedAt] = [textOf(session['createdAt']), textOf(session['updatedAt'])];
        const labels = mapOf(session['labels']);
        items.push(rowOf(scope, { agent, sessionId, namespace, state, createdAt, updatedAt, labels }));
      }
    }
    return items;
  },
  get: async (scope, name) => {
    const { key, session } = await findSession(scope, name);
    const resource = mapOf(session['session']);
    const now = scope.world.nowMs();
    const { sessionId, agent, state, labels } = session;
    const id = textOf(sessionId);
    return {
      name: id,
      namespace: key.ns,
      json: { apiVersion: 'svc/v1', kind: 'Session', ...resource },
      cells: [id, textOf(agent), textOf(state), age(msOf(mapOf(resource['status'])['lastActive']), now)],
      wideCells: [age(creationMs(id) ?? now, now), labelText(labels)],
    };
  },
  remove: async (scope, name, options) => {
    requirePlainRemoval('Session', options);
    const { key } = await findSession(scope, name);
    await scope.call('GatewayService/DeleteSession', { ...key });
    return 'deleted';
  },
  itemOf: (scope, resource) => {
    const { metadata, spec, status } = manifestForm(resource);
    const { name, namespace, labels } = mapOf(metadata);
    const { phase, createdAt, lastActive } = mapOf(status);
    return rowOf(scope, {
      ...{ agent: textOf(mapOf(spec)['agent']), sessionId: textOf(name), state: textOf(phase).toUpperCase() },
      ...{ namespace: textOf(namespace) || scope.namespace, labels: mapOf(labels) },
      ...{ createdAt: textOf(createdAt), updatedAt: textOf(lastActive) },
    });
  },
};
