import { create } from '@bufbuild/protobuf';
import {
  type CreateNamespaceRequest,
  type DeleteNamespaceRequest,
  GatewayService,
  type GetNamespaceRequest,
  type ListNamespacesRequest,
  ListNamespacesResponseSchema,
  type NamespaceResponse,
  NamespaceResponseSchema,
} from '@svc/api/gateway';
import { type Namespace, NamespaceSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, pageSize } from '../../../base/index.ts';
import { admin, type Operation, operation, viewer } from '../../../operations/index.ts';
import {
  type FilledPage,
  fillPage,
  namespaceKey,
  parseLabelSelector,
  type ResourceViews,
  resourceNotFound,
} from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, Store, StoredResource } from '../../../store/contracts/index.ts';
import { namespaceBody } from './namespace-body.ts';
import { descendantRecords } from './namespace-directory.ts';
import { namespaceState, PARENT_LABEL } from './namespace-rules.ts';
import type { NamespaceService } from './namespace-service.ts';

export interface NamespaceOperationsDeps {
  readonly store: Store;
  readonly service: NamespaceService;
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly views: ResourceViews;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** CreateNamespace, GetNamespace, DeleteNamespace, ListNamespaces. */
export const namespaceOperations = (deps: NamespaceOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.createNamespace, {
      access: admin('namespace-parent'),
      body: namespaceBody,
      handle: (request, context) => createNamespace(deps, request, context),
    }),
    operation(method.getNamespace, {
      access: viewer('namespace-name'),
      handle: (request) => getNamespace(deps, request),
    }),
    operation(method.deleteNamespace, {
      access: admin('namespace-parent'),
      handle: (request, context) => deleteNamespace(deps, request, context),
    }),
    operation(method.listNamespaces, {
      access: viewer('namespace-list'),
      handle: (request, context) => listNamespaces(deps, request, context),
    }),
  ];
};

const view = (deps: NamespaceOperationsDeps, record: StoredResource, metadataOnly = false): Namespace =>
  deps.views.full(NamespaceSchema, record, { secrets: true, metadataOnly });

const answer = (deps: NamespaceOperationsDeps, record: StoredResource): NamespaceResponse =>
  create(NamespaceResponseSchema, { namespace: view(deps, record) });

const createNamespace = async (
  deps: NamespaceOperationsDeps,
  request: CreateNamespaceRequest,
  context: CallContext,
): Promise<NamespaceResponse> =>
  answer(
    deps,
    await deps.store.write((tx) => deps.service.create(tx, context, { ...request, sent: context.sentMetadata })),
  );

const deleteNamespace = async (
  deps: NamespaceOperationsDeps,
  request: DeleteNamespaceRequest,
  context: CallContext,
): Promise<NamespaceResponse> =>
  answer(deps, await deps.store.write((tx) => deps.service.remove(tx, context, request)));

const getNamespace = async (
  deps: NamespaceOperationsDeps,
  request: GetNamespaceRequest,
): Promise<NamespaceResponse> => {
  const key = namespaceKey(request.name);
  const record = await deps.store.direct.resources.get(key);
  if (record === undefined) throw resourceNotFound(key);
  return answer(deps, record);
};

const listNamespaces = async (
  deps: NamespaceOperationsDeps,
  request: ListNamespacesRequest,
  context: CallContext,
): Promise<ReturnType<typeof create<typeof ListNamespacesResponseSchema>>> => {
  const { parent, recursive, labelSelector, metadataOnly, includeDeleted } = request;
  const size = pageSize(request.pageSize, metadataOnly);
  const question = ['namespaces', parent ?? '-', recursive, labelSelector, metadataOnly, includeDeleted];
  const [place] = decodePageToken(request.pageToken, question) ?? [];
  const page = await deps.store.read((tx) =>
    readPage(deps, tx, { request, context, size, after: place === undefined ? undefined : namespaceKey(place) }),
  );
  return create(ListNamespacesResponseSchema, {
    namespaces: page.rows.map((record) => view(deps, record, metadataOnly)),
    nextPageToken: page.next === undefined ? '' : encodePageToken(question, [page.next.name]),
  });
};

interface ListInput {
  readonly request: ListNamespacesRequest;
  readonly context: CallContext;
  readonly size: number;
  readonly after: ResourceKey | undefined;
}

const readPage = async (
  deps: NamespaceOperationsDeps,
  tx: ReadTx,
  input: ListInput,
): Promise<FilledPage<StoredResource>> => {
  const { request, context } = input;
  const { parent } = request;
  const wanted = parseLabelSelector(request.labelSelector);
  if (parent !== undefined && parent !== '' && (await tx.resources.get(namespaceKey(parent))) === undefined)
    throw resourceNotFound(namespaceKey(parent));
  const below = request.recursive && parent !== undefined && parent !== '' ? await namesBelow(tx, parent) : undefined;
  const isDirect = parent !== undefined && !request.recursive;
  const labels = isDirect ? [...wanted, { op: 'in', key: PARENT_LABEL, values: [parent] } as const] : wanted;
  return fillPage({
    size: input.size,
    bytes: deps.responseBytes,
    metadataOnly: request.metadataOnly,
    after: input.after,
    read: (after, limit) =>
      tx.resources.list({
        kind: 'Namespace',
        scope: { type: 'namespace', namespace: '' },
        labels,
        limit,
        ...(after === undefined ? {} : { after }),
      }),
    keep: (row) =>
      (request.includeDeleted || !namespaceState(row).isDeleted) &&
      (below === undefined || below.has(row.key.name)) &&
      deps.authorizer.allows(context.caller, 'viewer', { namespace: row.key.name }),
  });
};

const namesBelow = async (tx: ReadTx, parent: string): Promise<ReadonlySet<string>> =>
  new Set((await descendantRecords(tx.resources, parent)).map((record) => record.key.name));
