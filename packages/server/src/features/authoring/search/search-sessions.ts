import { create } from '@bufbuild/protobuf';
import { type SessionHit, SessionHitSchema } from '@svc/api/data';
import {
  type SearchSessionsRequest,
  type SearchSessionsResponse,
  SearchSessionsResponseSchema,
  SessionControlService,
} from '@svc/api/gateway';
import type { Authorizer, CallContext, Caller } from '../../../auth/contract.ts';
import {
  decodePageToken,
  encodePageToken,
  Fault,
  invalidField,
  isUuid,
  pageSize,
  placeNumber,
} from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { type Operation, operation, viewer } from '../../../operations/index.ts';
import { recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { ReadTx, ResourceQuery, Store, StoredResource } from '../../../store/contracts/index.ts';
import {
  compareHits,
  type HitOrder,
  type MessageHit,
  orderOf,
  type SearchPlace,
  searchMessages,
} from './message-search.ts';
import { snippetOf, wordsOf } from './message-text.ts';
import type { AgentName } from './recent-sessions.ts';

export interface SearchSessionsDeps {
  readonly store: Pick<Store, 'direct' | 'read'>;
  readonly authorizer: Pick<Authorizer, 'allows'>;
}

/** Names every namespace, as in lists of resources. */
const ALL_NAMESPACES = '-';
const QUERY_MAX = 1_024;
/** What one call reads at most; the next one continues. */
const MOST = { sessions: 200, messages: 5_000, perSession: Number.POSITIVE_INFINITY };
/** Agents over whose sessions one search goes. */
const AGENTS_MAX = 2_000;
const AGENTS_AT_ONCE = 500;

/** The operation SearchSessions: messages of every session that the caller may read. */
export const searchSessionsOperation = (deps: SearchSessionsDeps): Operation =>
  operation(SessionControlService.method.searchSessions, {
    access: viewer('readable-fields'),
    handle: (request, call) => searchSessions(deps, request, call),
  });

const searchSessions = async (
  { store, authorizer }: SearchSessionsDeps,
  request: SearchSessionsRequest,
  { caller, signal }: Pick<CallContext, 'caller' | 'signal'>,
): Promise<SearchSessionsResponse> => {
  const { ns, agent, query } = request;
  if (query.trim() === '' || query.length > QUERY_MAX)
    throw invalidField('query', `must have 1 to ${QUERY_MAX} characters`);
  const limit = pageSize(request.pageSize);
  const question = ['search', ns, agent, query];
  const { place, shown } = startOf(decodePageToken(request.pageToken, question));
  const words = wordsOf(query);
  const agents = await store.read((reads) =>
    agentsOf(reads, request, (name) => authorizer.allows(caller, 'viewer', name)),
  );
  const slice = await searchMessages(
    {
      log: store.direct.log,
      words,
      agents,
      sessionIds: ns === ALL_NAMESPACES ? grantedSessions(caller, agent) : [],
      mayRead: (session) =>
        authorizer.allows(caller, 'viewer', {
          namespace: session.namespace,
          agent: session.agent,
          session: session.id,
        }),
      signal,
      most: MOST,
    },
    place,
  );
  const left = shown === undefined ? slice.hits : slice.hits.filter((hit) => compareHits(orderOf(hit), shown) > 0);
  const hits = left.slice(0, limit);
  const last = hits.at(-1);
  const next =
    left.length > limit && last !== undefined
      ? placeTexts(place, orderOf(last))
      : slice.next && placeTexts(slice.next, undefined);
  return create(SearchSessionsResponseSchema, {
    hits: hits.map((hit) => hitMessage(hit, words)),
    nextPageToken: next === undefined ? '' : encodePageToken(question, next),
  });
};

/** Agents of the namespace, or of all, whose sessions the caller may list. */
const agentsOf = async (
  reads: Pick<ReadTx, 'resources'>,
  { ns, agent }: SearchSessionsRequest,
  mayList: (name: AgentName) => boolean,
): Promise<readonly AgentName[]> => {
  if (ns !== ALL_NAMESPACES) {
    await requireNamespace(reads, ns);
    if (agent !== '') return [await existingAgent(reads, { namespace: ns, agent })];
  }
  const scope = ns === ALL_NAMESPACES ? ({ type: 'all' } as const) : ({ type: 'namespace', namespace: ns } as const);
  const agents: AgentName[] = [];
  let after: StoredResource['key'] | undefined;
  do {
    const records = await agentRecords(reads, scope, after);
    const names = records.map(({ key }) => ({ namespace: key.namespace, agent: key.name }));
    agents.push(...names.filter((name) => (agent === '' || agent === name.agent) && mayList(name)));
    if (agents.length > AGENTS_MAX) throw tooWide();
    after = records.length < AGENTS_AT_ONCE ? undefined : records.at(-1)?.key;
  } while (after !== undefined);
  return agents;
};

const agentRecords = (
  reads: Pick<ReadTx, 'resources'>,
  scope: ResourceQuery['scope'],
  after: StoredResource['key'] | undefined,
): Promise<readonly StoredResource[]> =>
  reads.resources.list({ kind: 'Agent', scope, limit: AGENTS_AT_ONCE, ...(after === undefined ? {} : { after }) });

const existingAgent = async (reads: Pick<ReadTx, 'resources'>, name: AgentName): Promise<AgentName> => {
  const key = recordKey('Agent', name.namespace, name.agent);
  if ((await reads.resources.get(key)) === undefined) throw resourceNotFound(key);
  return name;
};

const tooWide = (): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'SEARCH_TOO_WIDE',
    `a search goes over the sessions of at most ${AGENTS_MAX} agents; name a namespace or an agent`,
  );

/** Sessions that a grant names one by one: a caller who may read only one of them may not list those of its agent. */
const grantedSessions = ({ grants }: Caller, agent: string): readonly string[] => {
  const named = grants.filter((grant) => agent === '' || grant.agent === agent).map(({ session = '' }) => session);
  return [...new Set(named)].filter(isUuid);
};

/** Where reading begins, and the last hit of what is read there that was answered already. */
interface Start {
  readonly place?: SearchPlace;
  readonly shown?: HitOrder;
}

/** A place and a hit, as they are in a token; '' stands for the newest session and for no hit. */
const placeTexts = (place: SearchPlace | undefined, shown: HitOrder | undefined): readonly string[] => [
  ...(place === undefined ? ['', '', ''] : [String(place.lastActive), place.sessionId, place.messageId]),
  ...(shown === undefined ? [] : [String(shown.score), String(shown.createdAt), shown.sessionId, shown.messageId]),
];

const startOf = (token: readonly string[] | undefined): Start => {
  if (token === undefined) return {};
  const [lastActive = '', sessionId = '', messageId = '', score, createdAt, shownSession = '', shownMessage = ''] =
    token;
  return {
    ...(lastActive === '' ? {} : { place: { lastActive: placeNumber(lastActive), sessionId, messageId } }),
    ...(score === undefined
      ? {}
      : {
          shown: {
            score: Number(score),
            createdAt: placeNumber(createdAt),
            sessionId: shownSession,
            messageId: shownMessage,
          },
        }),
  };
};

const hitMessage = ({ session, message, text, score }: MessageHit, words: readonly string[]): SessionHit =>
  create(SessionHitSchema, {
    ns: session.namespace,
    agent: session.agent,
    sessionId: session.id,
    messageId: message.id,
    role: message.role,
    createdAt: BigInt(message.createdAt),
    snippet: snippetOf(text, words).map((piece) => ({ text: piece.text, found: piece.isFound })),
    score,
  });
