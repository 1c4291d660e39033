import type { AgentCard } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault, isFault, JSON_DEPTH, nestsDeeperThan, notFound } from '../../../base/index.ts';
import type { HttpExchange, HttpRoute } from '../../../operations/index.ts';
import type { PeerAnswer, PeerCard, PeerServer } from '../../../protocols/a2a/contract.ts';
import type { AgentDirectory } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { ObjectLinks } from './peer-tasks.ts';
import { PushCourier, type PushCourierDeps } from './push-courier.ts';
import { SessionAgent, type SessionAgentDeps } from './session-agent.ts';
import { TaskPushes, type TaskPushesDeps } from './task-pushes.ts';

const BASE = '/a2a/{ns}/{agent}';
const PUSHES = 'pushNotificationConfigs';
const TEXT = 'text/plain';
const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json' };
const KEEP_ALIVE = ': keep-alive\n\n';

interface AgentProtocolDeps
  extends Omit<SessionAgentDeps, 'store' | 'waitMs' | 'maxDepth' | 'trustedPeers' | 'serverUrl' | 'pushes'>,
    Omit<TaskPushesDeps, 'requireAddress'>,
    Omit<PushCourierDeps, 'fetch' | 'seal' | 'store' | 'peers'> {
  readonly store: Pick<Store, 'direct' | 'read' | 'write'>;
  readonly agents: Pick<AgentDirectory, 'current'>;
  readonly peers: PeerServer;
  /** Requests to the addresses that peers named. */
  readonly outbound: Pick<PushCourierDeps, 'fetch'> & Pick<TaskPushesDeps, 'requireAddress'>;
  /** Where peers reach the server, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Whether callers need a credential. */
  readonly needsToken: boolean;
  /** Bytes and milliseconds. */
  readonly settings: {
    readonly 'limits.requestBytes': number;
    readonly 'deadlines.waitSeconds': number;
    readonly 'a2a.maxDepth': number;
    readonly 'a2a.trustedPeers': readonly string[];
  };
}

type Params = Readonly<Record<string, string>>;

export interface AgentProtocolModule extends FeatureModule {
  /** Ends requests to the addresses of peers; the next process makes them again. */
  close(): Promise<void>;
}

/** Cards and endpoints of agents that have a card, and the sending of states of tasks to peers. */
export const agentProtocolModule = (deps: AgentProtocolDeps): AgentProtocolModule => {
  const { peers, settings, outbound } = deps;
  // Peers resolve no paths: what leads to a file is a whole address.
  const links: ObjectLinks = {
    link: (namespace, object) => `${deps.baseUrl()}${deps.links.link(namespace, object)}`,
  };
  const pushes = new TaskPushes({ ...deps, requireAddress: outbound.requireAddress });
  const courier = new PushCourier({ ...deps, links, fetch: outbound.fetch });
  const limit = { bytes: settings['limits.requestBytes'], setting: 'limits.requestBytes' };
  const agentDeps = {
    ...deps,
    waitMs: settings['deadlines.waitSeconds'],
    maxDepth: settings['a2a.maxDepth'],
    trustedPeers: settings['a2a.trustedPeers'],
    serverUrl: deps.baseUrl,
    links,
    pushes,
  };
  const requestOf = async (exchange: HttpExchange, params: Params, context: CallContext) => {
    const { ns = '', agent = '' } = params;
    const card = await cardOf(deps, ns, agent);
    const version = exchange.header('a2a-version') ?? exchange.query.get('A2A-Version') ?? '';
    return { version, agent: new SessionAgent(agentDeps, { ns, agent, card, context }) };
  };
  const rest = (method: 'GET' | 'POST' | 'DELETE', pattern: string): HttpRoute => ({
    method,
    pattern: `${BASE}/v1/${pattern}`,
    authenticated: true,
    handle: async (exchange, params, context) => {
      const request = await requestOf(exchange, params, context);
      const body = method === 'POST' ? await bodyOf(exchange, limit) : '';
      if (body !== '') requireJson(body);
      const { call = '', task, push } = params;
      const pushPath = `${task}/${PUSHES}${push === undefined ? '' : `/${push}`}`;
      const path = task === undefined ? call : `tasks/${pattern.includes(PUSHES) ? pushPath : task}`;
      await give(exchange, await peers.rest({ method, path, query: exchange.query, body }, request), context.signal);
    },
  });
  return {
    routes: [
      {
        method: 'GET',
        pattern: `${BASE}/.well-known/agent-card.json`,
        authenticated: false,
        handle: async (exchange, { ns = '', agent = '' }) => {
          const body = peers.card(await cardOf(deps, ns, agent));
          exchange.answer(200, { ...JSON_HEADERS, 'cache-control': 'max-age=60' }, body);
        },
      },
      {
        method: 'POST',
        pattern: BASE,
        authenticated: true,
        handle: async (exchange, params, context) => {
          const request = await requestOf(exchange, params, context);
          await give(exchange, await peers.jsonRpc(await bodyOf(exchange, limit), request), context.signal);
        },
      },
      rest('GET', '{call}'),
      rest('POST', '{call}'),
      rest('GET', 'tasks/{task}'),
      rest('POST', 'tasks/{task}'),
      rest('GET', `tasks/{task}/${PUSHES}`),
      rest('POST', `tasks/{task}/${PUSHES}`),
      rest('GET', `tasks/{task}/${PUSHES}/{push}`),
      rest('DELETE', `tasks/{task}/${PUSHES}/{push}`),
    ],
    workers: [courier],
    reseal: () => pushes.reseal(),
    close: () => courier.close(),
  };
};

const bodyOf = async (exchange: HttpExchange, limit: Parameters<HttpExchange['body']>[0]): Promise<string> => {
  const text = new TextDecoder().decode(await exchange.body(limit));
  if (nestsDeeperThan(text, JSON_DEPTH))
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', `the body nests deeper than ${JSON_DEPTH}`);
  return text;
};

const requireJson = (text: string): void => {
  try {
    JSON.parse(text);
  } catch {
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', 'the body is not JSON');
  }
};

const give = async (exchange: HttpExchange, answer: PeerAnswer, signal: AbortSignal): Promise<void> => {
  if (answer.kind === 'stream') return pump(exchange, answer.events, signal);
  exchange.answer(answer.status, JSON_HEADERS, answer.body);
};

/** Writes events as fast as the peer takes them. */
const pump = async (
  exchange: HttpExchange,
  events: AsyncGenerator<string, void, undefined>,
  signal: AbortSignal,
): Promise<void> => {
  const stream = exchange.stream(200, SSE_HEADERS, KEEP_ALIVE);
  let resume: () => void = () => undefined;
  const wake = (): void => resume();
  stream.onDrained(wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    for await (const text of events) {
      if (stream.write(`data: ${text}\n\n`) || signal.aborted || !stream.writable) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      resume = resolve;
      await promise;
    }
  } catch (error) {
    const message = isFault(error) ? error.message : 'the stream broke off';
    stream.write(`event: error\ndata: ${JSON.stringify({ code: -32_603, message })}\n\n`);
    if (!isFault(error)) throw error;
  } finally {
    signal.removeEventListener('abort', wake);
    stream.end();
  }
};

/** The card of a live agent that has one. */
const cardOf = async (
  { store, agents, baseUrl, needsToken }: AgentProtocolDeps,
  ns: string,
  name: string,
): Promise<PeerCard> => {
  const agent = await agents.current(store.direct, ns, name);
  const card = agent?.spec.a2a?.agentCard;
  if (agent === undefined || agent.deleting || card === undefined) throw notFound('Agent', { ns, name });
  return peerCard(card, {
    name,
    needsToken,
    url: `${baseUrl()}/a2a/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`,
  });
};

const peerCard = (
  card: AgentCard,
  facts: { readonly name: string; readonly url: string; readonly needsToken: boolean },
): PeerCard => ({
  name: card.name === '' ? facts.name : card.name,
  description: card.description,
  version: card.version === '' ? '1' : card.version,
  url: facts.url,
  isStreaming: card.capabilities?.streaming === true,
  hasExtendedCard: card.capabilities?.extendedAgentCard === true,
  hasPushes: card.capabilities?.pushNotifications === true,
  needsToken: facts.needsToken,
  inputModes: card.defaultInputModes.length === 0 ? [TEXT, 'application/json'] : card.defaultInputModes,
  outputModes: card.defaultOutputModes.length === 0 ? [TEXT] : card.defaultOutputModes,
  skills: card.skills,
});
