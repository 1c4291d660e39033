import { create } from '@bufbuild/protobuf';
import {
  type CreateMcpServerBindingRequest,
  type DeleteMcpServerBindingRequest,
  type DeleteMcpServerBindingResponse,
  DeleteMcpServerBindingResponseSchema,
  GatewayService,
  type GetMcpServerBindingRequest,
  type ListMcpServerBindingsRequest,
  type ListMcpServerBindingsResponse,
  ListMcpServerBindingsResponseSchema,
  type McpServerBindingResponse,
  McpServerBindingResponseSchema,
} from '@svc/api/gateway';
import { type McpServerBinding, McpServerBindingSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import type { KindDoor } from '../../../controllers/door-contract.ts';
import { admin, type Operation, operation, viewer, wholeResource } from '../../../operations/index.ts';
import { type ResourceViews, recordKey, requireSameNamespace } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';

export interface McpBindingOperationsDeps {
  readonly bindings: KindDoor;
  readonly authorizer: Pick<Authorizer, 'readsSecrets'>;
  readonly views: ResourceViews;
}

/** CreateMcpServerBinding, GetMcpServerBinding, ListMcpServerBindings, DeleteMcpServerBinding. */
export const mcpBindingOperations = (deps: McpBindingOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.createMcpServerBinding, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, context) => createBinding(deps, request, context),
    }),
    operation(method.getMcpServerBinding, {
      access: viewer('fields'),
      handle: (request, context) => getBinding(deps, request, context),
    }),
    operation(method.listMcpServerBindings, {
      access: viewer('fields'),
      handle: (request, context) => listBindings(deps, request, context),
    }),
    operation(method.deleteMcpServerBinding, {
      access: admin('fields'),
      handle: (request, context) => deleteBinding(deps, request, context),
    }),
  ];
};

const keyOf = (namespace: string, name: string) => recordKey('McpServerBinding', namespace, name);

const view = (
  deps: McpBindingOperationsDeps,
  record: StoredResource,
  shown: { readonly context: CallContext; readonly metadataOnly?: boolean },
): McpServerBinding => {
  const secrets = deps.authorizer.readsSecrets(shown.context.caller, { namespace: record.key.namespace });
  return deps.views.full(McpServerBindingSchema, record, { secrets, metadataOnly: shown.metadataOnly ?? false });
};

const createBinding = async (
  deps: McpBindingOperationsDeps,
  request: CreateMcpServerBindingRequest,
  context: CallContext,
): Promise<McpServerBindingResponse> => {
  const { metadata, spec } = request.binding ?? {};
  requireSameNamespace(request.ns, metadata?.namespace ?? '');
  const record = await deps.bindings.upsert(context, keyOf(request.ns, metadata?.name ?? ''), {
    metadata,
    spec,
    sent: context.sentMetadata,
  });
  return create(McpServerBindingResponseSchema, { binding: view(deps, record, { context }) });
};

const getBinding = async (
  deps: McpBindingOperationsDeps,
  request: GetMcpServerBindingRequest,
  context: CallContext,
): Promise<McpServerBindingResponse> => {
  const record = await deps.bindings.read({ key: keyOf(request.ns, request.name) });
  return create(McpServerBindingResponseSchema, { binding: view(deps, record, { context }) });
};

const listBindings = async (
  deps: McpBindingOperationsDeps,
  request: ListMcpServerBindingsRequest,
  context: CallContext,
): Promise<ListMcpServerBindingsResponse> => {
  const { ns: namespace, pageSize, pageToken, labelSelector, metadataOnly } = request;
  const page = await deps.bindings.list({ namespace, pageSize, pageToken, labelSelector, metadataOnly });
  return create(ListMcpServerBindingsResponseSchema, {
    bindings: page.records.map((record) => view(deps, record, { context, metadataOnly })),
    nextPageToken: page.nextPageToken,
  });
};

const deleteBinding = async (
  deps: McpBindingOperationsDeps,
  request: DeleteMcpServerBindingRequest,
  context: CallContext,
): Promise<DeleteMcpServerBindingResponse> => {
  await deps.bindings.remove(context, { key: keyOf(request.ns, request.name) });
  return create(DeleteMcpServerBindingResponseSchema, { success: true });
};
