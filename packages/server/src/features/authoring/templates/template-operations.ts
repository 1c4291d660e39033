import { create } from '@bufbuild/protobuf';
import {
  type AgentTemplateResponse,
  AgentTemplateResponseSchema,
  type CreateAgentTemplateRequest,
  type DeleteAgentTemplateRequest,
  type DeleteAgentTemplateResponse,
  DeleteAgentTemplateResponseSchema,
  GatewayService,
  type GetAgentTemplateRequest,
  type ListAgentTemplatesRequest,
  type ListAgentTemplatesResponse,
  ListAgentTemplatesResponseSchema,
} from '@svc/api/gateway';
import { type Template, TemplateSchema, type TemplateSpec, TemplateSpecSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { type FieldViolation, invalidFields } from '../../../base/index.ts';
import type { KindDoor } from '../../../controllers/door-contract.ts';
import { admin, type Operation, operation, viewer } from '../../../operations/index.ts';
import { parseJsonMap, type ResourceViews, recordKey, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { templateBody } from './template-body.ts';

export interface TemplateOperationsDeps {
  readonly templates: KindDoor;
  readonly authorizer: Pick<Authorizer, 'readsSecrets'>;
  readonly views: ResourceViews;
}

const AGENT = 'Agent';

/** CreateAgentTemplate, GetAgentTemplate, ListAgentTemplates, DeleteAgentTemplate. */
export const templateOperations = (deps: TemplateOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  return [
    operation(method.createAgentTemplate, {
      access: admin('system'),
      body: templateBody,
      handle: (request, context) => createTemplate(deps, request, context),
    }),
    operation(method.getAgentTemplate, {
      access: viewer('system'),
      handle: (request, context) => getTemplate(deps, request, context),
    }),
    operation(method.listAgentTemplates, {
      access: viewer('system'),
      handle: (request, context) => listTemplates(deps, request, context),
    }),
    operation(method.deleteAgentTemplate, {
      access: admin('system'),
      handle: (request, context) => deleteTemplate(deps, request, context),
    }),
  ];
};

const address = (name: string) => ({ key: recordKey('Template', SYSTEM_NAMESPACE, name), keep: isAgentTemplate });

const isAgentTemplate = (record: StoredResource): boolean => parseJsonMap(record.spec)?.['kind'] === AGENT;

const view = (
  deps: TemplateOperationsDeps,
  record: StoredResource,
  shown: { readonly context: CallContext; readonly metadataOnly?: boolean },
): Template => {
  const secrets = deps.authorizer.readsSecrets(shown.context.caller, { namespace: SYSTEM_NAMESPACE });
  return deps.views.full(TemplateSchema, record, { secrets, metadataOnly: shown.metadataOnly ?? false });
};

const createTemplate = async (
  deps: TemplateOperationsDeps,
  request: CreateAgentTemplateRequest,
  context: CallContext,
): Promise<AgentTemplateResponse> => {
  const { metadata, spec } = request.template ?? {};
  const faults = checkRequest(metadata?.namespace ?? '', spec);
  if (faults.length > 0) throw invalidFields(faults);
  const { key } = address(metadata?.name ?? '');
  const filled = { ...(spec ?? create(TemplateSpecSchema)), kind: AGENT };
  const record = await deps.templates.upsert(context, key, { metadata, spec: filled, sent: context.sentMetadata });
  return create(AgentTemplateResponseSchema, { template: view(deps, record, { context }) });
};

const checkRequest = (namespace: string, spec: TemplateSpec | undefined): readonly FieldViolation[] => [
  ...(namespace === '' || namespace === SYSTEM_NAMESPACE
    ? []
    : [{ field: 'metadata.namespace', description: 'must be empty or system', reason: 'FIELD_INVALID' }]),
  ...(['', AGENT].includes(spec?.kind ?? '')
    ? []
    : [{ field: 'spec.kind', description: 'must be Agent or empty', reason: 'AGENT_TEMPLATE_KIND' }]),
];

const getTemplate = async (
  deps: TemplateOperationsDeps,
  request: GetAgentTemplateRequest,
  context: CallContext,
): Promise<AgentTemplateResponse> => {
  const record = await deps.templates.read(address(request.name));
  return create(AgentTemplateResponseSchema, { template: view(deps, record, { context }) });
};

const listTemplates = async (
  deps: TemplateOperationsDeps,
  request: ListAgentTemplatesRequest,
  context: CallContext,
): Promise<ListAgentTemplatesResponse> => {
  const { pageSize, pageToken, labelSelector, metadataOnly } = request;
  const question = { pageSize, pageToken, labelSelector, metadataOnly };
  const page = await deps.templates.list({ ...question, namespace: SYSTEM_NAMESPACE, keep: isAgentTemplate });
  return create(ListAgentTemplatesResponseSchema, {
    templates: page.records.map((record) => view(deps, record, { context, metadataOnly })),
    nextPageToken: page.nextPageToken,
  });
};

const deleteTemplate = async (
  deps: TemplateOperationsDeps,
  request: DeleteAgentTemplateRequest,
  context: CallContext,
): Promise<DeleteAgentTemplateResponse> => {
  await deps.templates.remove(context, address(request.name));
  return create(DeleteAgentTemplateResponseSchema, { success: true });
};
