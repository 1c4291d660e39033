import { create } from '@bufbuild/protobuf';
import {
  type CreateNamespaceKnowledgeRequest,
  type DeleteNamespaceKnowledgeRequest,
  type DeleteNamespaceKnowledgeResponse,
  DeleteNamespaceKnowledgeResponseSchema,
  GatewayService,
  type GetNamespaceKnowledgeRequest,
  type ListNamespaceKnowledgeRequest,
  type ListNamespaceKnowledgeResponse,
  ListNamespaceKnowledgeResponseSchema,
  type NamespaceKnowledgeResponse,
  NamespaceKnowledgeResponseSchema,
} from '@svc/api/gateway';
import { type Knowledge, KnowledgeSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import type { KindDoor } from '../../../controllers/door-contract.ts';
import { type Operation, operation, operator, viewer, wholeResource } from '../../../operations/index.ts';
import { type ResourceViews, recordKey, requireSameNamespace } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { normalPath } from './knowledge-rules.ts';

export interface NamespaceKnowledgeDeps {
  readonly knowledge: KindDoor;
  readonly views: ResourceViews;
}

/** CreateNamespaceKnowledge, GetNamespaceKnowledge, ListNamespaceKnowledge, DeleteNamespaceKnowledge. */
export const namespaceKnowledgeOperations = (deps: NamespaceKnowledgeDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.createNamespaceKnowledge, {
      access: operator('fields'),
      body: wholeResource(),
      handle: (request, context) => createKnowledge(deps, request, context),
    }),
    operation(method.getNamespaceKnowledge, {
      access: viewer('fields'),
      handle: (request) => getKnowledge(deps, request),
    }),
    operation(method.listNamespaceKnowledge, {
      access: viewer('fields'),
      handle: (request) => listKnowledge(deps, request),
    }),
    operation(method.deleteNamespaceKnowledge, {
      access: operator('fields'),
      handle: (request, context) => deleteKnowledge(deps, request, context),
    }),
  ];
};

const keyOf = (namespace: string, name: string) => recordKey('Knowledge', namespace, name);

/** Nothing of a document is a secret. */
const view = (deps: NamespaceKnowledgeDeps, record: StoredResource, metadataOnly = false): Knowledge =>
  deps.views.full(KnowledgeSchema, record, { secrets: true, metadataOnly });

const createKnowledge = async (
  deps: NamespaceKnowledgeDeps,
  request: CreateNamespaceKnowledgeRequest,
  context: CallContext,
): Promise<NamespaceKnowledgeResponse> => {
  const { metadata, spec } = request.knowledge ?? {};
  requireSameNamespace(request.ns, metadata?.namespace ?? '');
  const given = metadata?.name ?? '';
  const name = given === '' ? normalPath(spec?.path ?? '') : given;
  const record = await deps.knowledge.upsert(context, keyOf(request.ns, name), {
    metadata,
    spec,
    sent: context.sentMetadata,
  });
  return create(NamespaceKnowledgeResponseSchema, { knowledge: view(deps, record) });
};

const getKnowledge = async (
  deps: NamespaceKnowledgeDeps,
  request: GetNamespaceKnowledgeRequest,
): Promise<NamespaceKnowledgeResponse> => {
  const record = await deps.knowledge.read({ key: keyOf(request.ns, request.name) });
  return create(NamespaceKnowledgeResponseSchema, { knowledge: view(deps, record) });
};

const listKnowledge = async (
  deps: NamespaceKnowledgeDeps,
  request: ListNamespaceKnowledgeRequest,
): Promise<ListNamespaceKnowledgeResponse> => {
  const { ns: namespace, pageSize, pageToken, labelSelector, metadataOnly } = request;
  const page = await deps.knowledge.list({ namespace, pageSize, pageToken, labelSelector, metadataOnly });
  return create(ListNamespaceKnowledgeResponseSchema, {
    knowledge: page.records.map((record) => view(deps, record, metadataOnly)),
    nextPageToken: page.nextPageToken,
  });
};

const deleteKnowledge = async (
  deps: NamespaceKnowledgeDeps,
  request: DeleteNamespaceKnowledgeRequest,
  context: CallContext,
): Promise<DeleteNamespaceKnowledgeResponse> => {
  await deps.knowledge.remove(context, { key: keyOf(request.ns, request.name) });
  return create(DeleteNamespaceKnowledgeResponseSchema, { success: true });
};
