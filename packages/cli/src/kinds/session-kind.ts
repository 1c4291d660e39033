import type { JsonObject } from '@bufbuild/protobuf';
import type { SessionKey } from '@svc/client';
import { isSvcError } from '@svc/client/error';
import { CommandFailure, exitCodes } from '../failure.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { age, creationMs } from '../terminal/index.ts';
import { type Item, type Kind, listItems, requirePlainRemoval, type Scope } from './kind.ts';
import { labelText, manifestForm } from './resource-json.ts';

/** Agents whose sessions are listed together; with more, the person has to name one. */
const AGENTS_LISTED = 1_000;

type Place = Pick<Scope, 'call' | 'namespace' | 'agent'>;

/** Names of the agents whose sessions are listed. */
const agentNames = async ({ call, namespace: ns, agent }: Place): Promise<readonly string[]> => {
  if (agent !== undefined) return [agent];
  const request = { ns, metadataOnly: true, member: 'agents' };
  const agents = await listItems({ call, limit: AGENTS_LISTED }, 'GatewayService/ListAgents', request);
  return agents.map(({ metadata }) => textOf(mapOf(metadata)['name']));
};

/** Finds an existing session by its id or canonical name. */
export const findSession = async (scope: Place, name: string): Promise<SessionKey> => {
  const { key, isFound } = await keyOf(scope, name);
  if (!isFound) await readSession(scope, key);
  return key;
};

/** The key of a named session. Without an agent one call finds the session: an id belongs to a single session. */
const keyOf = async (
  { call, namespace, agent: given }: Place,
  name: string,
): Promise<{ readonly key: SessionKey; readonly isFound: boolean }> => {
  const canonical = /^@Namespace\/([^/]+)\/Agent\/([^/]+)\/@\/Session\/([^/]+)$/.exec(name);
  const [ns = namespace, agent = given, sessionId = name] = canonical?.slice(1).map(decodeURIComponent) ?? [];
  if (agent !== undefined) return { key: { ns, agent, sessionId }, isFound: false };
  return { key: { ns, agent: await agentOf(call, { ns, name: sessionId }), sessionId }, isFound: true };
};

const readSession = (scope: Pick<Scope, 'call'>, key: SessionKey): Promise<JsonObject> =>
  scope.call('GatewayService/GetSession', { ...key, messageLimit: -1 });

/** The ResourceService finds a session without its agent, for callers who may read the whole namespace. */
const agentOf = async (
  call: Scope['call'],
  session: { readonly ns: string; readonly name: string },
): Promise<string> => {
  try {
    const { resource } = await call('ResourceService/GetResource', { ...session, kind: 'Session' });
    return textOf(mapOf(manifestForm(mapOf(resource))['spec'])['agent']);
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    throw new CommandFailure(`${error.message} (${error.reason})`, {
      exitCode: exitCodes.connection,
      hint: 'name the agent of the session with --agent: a grant on one agent does not search the namespace',
      cause: error,
    });
  }
};

/** What lists and watches contain of a session. */
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
  const now = scope.host.nowMs();
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
    const { key } = await keyOf(scope, name);
    const session = await readSession(scope, key);
    const resource = mapOf(session['session']);
    const now = scope.host.nowMs();
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
    const { key } = await keyOf(scope, name);
    await scope.call('GatewayService/DeleteSession', { ...key });
    return 'deleted';
  },
  itemOf: (scope, resource) => {
    const { metadata, spec, status } = manifestForm(resource);
    const { name, namespace, labels } = mapOf(metadata);
    const { phase, createdAt, lastActive } = mapOf(status);
    return rowOf(scope, {
      agent: textOf(mapOf(spec)['agent']),
      sessionId: textOf(name),
      state: textOf(phase).toUpperCase(),
      namespace: textOf(namespace) || scope.namespace,
      labels: mapOf(labels),
      createdAt: textOf(createdAt),
      updatedAt: textOf(lastActive),
    });
  },
};
