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
import type { KindFacade } from '../../../controllers/facade-contract.ts';
import { type ResourceViews, recordKey, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { type Operation, unary } from '../../contract.ts';

export interface McpServerOperationsDeps {
  readonly servers: KindFacade;
  readonly authorizer: Pick<Authorizer, 'readsSecrets'>;
  readonly views: ResourceViews;
}

/** CreateMcpServer, GetMcpServer, ListMcpServers, DeleteMcpServer: those of `system`. */
export const mcpServerOperations = (deps: McpServerOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    unary(method.createMcpServer, (request, context) => createServer(deps, request, context)),
    unary(method.getMcpServer, (request, context) => getServer(deps, request, context)),
    unary(method.listMcpServers, (request, context) => listServers(deps, request, context)),
    unary(method.deleteMcpServer, (request, context) => deleteServer(deps, request, context)),
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
