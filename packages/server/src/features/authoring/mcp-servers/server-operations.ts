import { create } from '@bufbuild/protobuf';
import {
  type CreateMcpServerRequest,
  type DeleteMcpServerRequest,
  type DeleteMcpServerResponse,
  DeleteMcpServerResponseSchema,
  GatewayService,
  type GetMcpServerRequest,
  type ListMcpServersRequest,
  type ListMcpServersResponse,
  ListMcpServersResponseSchema,
  type McpServerResponse,
  McpServerResponseSchema,
} from '@svc/api/gateway';
import { type McpServer, McpServerSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { invalidField } from '../../../base/index.ts';
import type { KindDoor } from '../../../controllers/door-contract.ts';
import { admin, type Operation, operation, viewer, wholeResource } from '../../../operations/index.ts';
import { type ResourceViews, recordKey, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';

export interface McpServerOperationsDeps {
  readonly servers: KindDoor;
  readonly authorizer: Pick<Authorizer, 'readsSecrets'>;
  readonly views: ResourceViews;
}

/** CreateMcpServer, GetMcpServer, ListMcpServers, DeleteMcpServer: those of `system`. */
export const mcpServerOperations = (deps: McpServerOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.createMcpServer, {
      access: admin('system'),
      body: wholeResource(),
      handle: (request, context) => createServer(deps, request, context),
    }),
    operation(method.getMcpServer, {
      access: viewer('system'),
      handle: (request, context) => getServer(deps, request, context),
    }),
    operation(method.listMcpServers, {
      access: viewer('system'),
      handle: (request, context) => listServers(deps, request, context),
    }),
    operation(method.deleteMcpServer, {
      access: admin('system'),
      handle: (request, context) => deleteServer(deps, request, context),
    }),
  ];
};

const keyOf = (name: string) => recordKey('McpServer', SYSTEM_NAMESPACE, name);

const view = (
  deps: McpServerOperationsDeps,
  record: StoredResource,
  shown: { readonly context: CallContext; readonly metadataOnly?: boolean },
): McpServer => {
  const secrets = deps.authorizer.readsSecrets(shown.context.caller, { namespace: SYSTEM_NAMESPACE });
  return deps.views.full(McpServerSchema, record, { secrets, metadataOnly: shown.metadataOnly ?? false });
};

const createServer = async (
  deps: McpServerOperationsDeps,
  request: CreateMcpServerRequest,
  context: CallContext,
): Promise<McpServerResponse> => {
  const { metadata, spec } = request.server ?? {};
  if (!['', SYSTEM_NAMESPACE].includes(metadata?.namespace ?? ''))
    throw invalidField('metadata.namespace', 'must be empty or system');
  const record = await deps.servers.upsert(context, keyOf(metadata?.name ?? ''), {
    metadata,
    spec,
    sent: context.sentMetadata,
  });
  return create(McpServerResponseSchema, { server: view(deps, record, { context }) });
};

const getServer = async (
  deps: McpServerOperationsDeps,
  request: GetMcpServerRequest,
  context: CallContext,
): Promise<McpServerResponse> => {
  const record = await deps.servers.read({ key: keyOf(request.name) });
  return create(McpServerResponseSchema, { server: view(deps, record, { context }) });
};

const listServers = async (
  deps: McpServerOperationsDeps,
  request: ListMcpServersRequest,
  context: CallContext,
): Promise<ListMcpServersResponse> => {
  const { pageSize, pageToken, labelSelector, metadataOnly } = request;
  const question = { pageSize, pageToken, labelSelector, metadataOnly };
  const page = await deps.servers.list({ ...question, namespace: SYSTEM_NAMESPACE });
  return create(ListMcpServersResponseSchema, {
    servers: page.records.map((record) => view(deps, record, { context, metadataOnly })),
    nextPageToken: page.nextPageToken,
  });
};

const deleteServer = async (
  deps: McpServerOperationsDeps,
  request: DeleteMcpServerRequest,
  context: CallContext,
): Promise<DeleteMcpServerResponse> => {
  await deps.servers.remove(context, { key: keyOf(request.name) });
  return create(DeleteMcpServerResponseSchema, { success: true });
};
