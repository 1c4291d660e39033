import { create } from '@bufbuild/protobuf';
import { KnowledgeModuleSchema, KnowledgeSearchResultSchema } from '@svc/api/data';
import {
  GatewayService,
  type GetKnowledgeRequest,
  type KnowledgeResponse,
  KnowledgeResponseSchema,
  type SearchKnowledgeRequest,
  type SearchKnowledgeResponse,
  SearchKnowledgeResponseSchema,
} from '@svc/api/gateway';
import { decodePageToken, encodePageToken, pageSize } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { type Operation, operation, viewer } from '../../../operations/index.ts';
import { recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { ReadTx, Store } from '../../../store/contracts/index.ts';
import type { KnowledgeDocument, KnowledgeLibrary, Meant } from './knowledge-library.ts';
import { requireQuery, resultLimit } from './knowledge-rules.ts';

export interface AgentKnowledgeDeps {
  readonly store: Pick<Store, 'read' | 'direct'>;
  readonly library: KnowledgeLibrary;
  /** What a query means; undefined where searches go by words only. Never rejects. */
  readonly understand: (query: string, namespace: string) => Promise<Meant | undefined>;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** GetKnowledge and SearchKnowledge: what an agent knows. */
export const agentKnowledgeOperations = (deps: AgentKnowledgeDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.getKnowledge, { access: viewer('fields'), handle: (request) => getKnowledge(deps, request) }),
    operation(method.searchKnowledge, {
      access: viewer('fields'),
      handle: (request) => searchKnowledge(deps, request),
    }),
  ];
};

const requireAgent = async (reads: Pick<ReadTx, 'resources'>, ns: string, agent: string): Promise<void> => {
  const key = recordKey('Agent', ns, agent);
  if ((await reads.resources.get(key)) !== undefined) return;
  await requireNamespace(reads, ns);
  throw resourceNotFound(key);
};

const moduleOf = ({ path, content, updatedAt, namespace, name }: KnowledgeDocument) =>
  create(KnowledgeModuleSchema, { path, content, updatedAt: BigInt(updatedAt), namespace, name });

const getKnowledge = async (deps: AgentKnowledgeDeps, request: GetKnowledgeRequest): Promise<KnowledgeResponse> => {
  const { ns, agent, path = '' } = request;
  const size = pageSize(request.pageSize);
  const question = ['knowledge', ns, agent, path];
  const [namespace, place] = decodePageToken(request.pageToken, question) ?? [];
  const after = namespace === undefined || place === undefined ? {} : { after: { namespace, path: place } };
  const { documents, next } = await deps.store.read(async (tx) => {
    await requireAgent(tx, ns, agent);
    if (path !== '') return { documents: [await deps.library.get(tx, ns, path)], next: undefined };
    return deps.library.list(tx, ns, { size, bytes: deps.responseBytes, ...after });
  });
  return create(KnowledgeResponseSchema, {
    modules: documents.map(moduleOf),
    nextPageToken: next === undefined ? '' : encodePageToken(question, [next.namespace, next.path]),
  });
};

const searchKnowledge = async (
  deps: AgentKnowledgeDeps,
  request: SearchKnowledgeRequest,
): Promise<SearchKnowledgeResponse> => {
  const { ns, agent, query } = request;
  requireQuery(query);
  const limit = resultLimit(request.limit);
  await requireAgent(deps.store.direct, ns, agent);
  const meant = await deps.understand(query, ns);
  const found = await deps.store.read(async (tx) => {
    await requireAgent(tx, ns, agent);
    return deps.library.search(tx, ns, { query, limit, meant });
  });
  return create(SearchKnowledgeResponseSchema, {
    results: found.map(({ path, snippet, score, updatedAt, namespace }) =>
      create(KnowledgeSearchResultSchema, { path, snippet, score, timestamp: BigInt(updatedAt), namespace }),
    ),
  });
};
