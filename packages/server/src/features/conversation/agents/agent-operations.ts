import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import {
  type AgentResponse,
  AgentResponseSchema,
  type CreateAgentRequest,
  GatewayService,
  type GetAgentRequest,
  type GetAgentResponse,
  GetAgentResponseSchema,
  type ListAgentsRequest,
  type ListAgentsResponse,
  ListAgentsResponseSchema,
  type ModifyAgentRequest,
} from '@svc/api/gateway';
import { type Agent, AgentSchema, type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, type Ids, invalidField, pageSize } from '../../../base/index.ts';
import type { DesiredResource, ResourceWriter, WriteResult } from '../../../controllers/contract.ts';
import { requireNamespace } from '../../../controllers/door-contract.ts';
import { admin, type Operation, operation, viewer } from '../../../operations/index.ts';
import {
  applyFieldMask,
  deepFreeze,
  fillPage,
  isFieldPath,
  type JsonMap,
  parseJsonMap,
  parseLabelSelector,
  type ResourceViews,
  recordKey,
  requireKept,
  resourceNotFound,
  type ValueSeal,
} from '../../../resources/index.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { createdAgentBody, modifiedAgentBody } from './agent-bodies.ts';
import { emptyAgentSpec } from './agent-rules.ts';
import { mergeTemplate } from './agent-template.ts';

export interface AgentOperationsDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly authorizer: Pick<Authorizer, 'readsSecrets'>;
  readonly views: ResourceViews;
  readonly ids: Ids;
  /** Opens the values that a template keeps sealed, for the agents made from it. */
  readonly seal: Pick<ValueSeal, 'open'>;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** CreateAgent, GetAgent, ModifyAgent, ListAgents. */
export const agentOperations = (deps: AgentOperationsDeps): readonly Operation[] => {
  const { method } = GatewayService;
  const getAgent = agentReader(deps);
  return [
    operation(method.createAgent, {
      access: admin('fields'),
      body: createdAgentBody,
      handle: (request, context) => createAgent(deps, request, context),
    }),
    operation(method.getAgent, { access: viewer('agent-name'), handle: getAgent }),
    operation(method.modifyAgent, {
      access: admin('fields'),
      body: modifiedAgentBody,
      handle: (request, context) => modifyAgent(deps, request, context),
    }),
    operation(method.listAgents, {
      access: viewer('fields'),
      handle: (request, context) => listAgents(deps, request, context),
    }),
  ];
};

interface Shown {
  readonly record: StoredResource;
  readonly activity: string;
  readonly metadataOnly?: boolean;
}

const view = (deps: AgentOperationsDeps, shown: Shown, context: CallContext): Agent => {
  const { namespace, name } = shown.record.key;
  const secrets = deps.authorizer.readsSecrets(context.caller, { namespace, agent: name });
  const { activity, metadataOnly = false } = shown;
  return deps.views.full(AgentSchema, shown.record, { secrets, activity, metadataOnly });
};

const answer = async (
  deps: AgentOperationsDeps,
  written: WriteResult,
  context: CallContext,
): Promise<AgentResponse> => {
  const activity = await activityOf(deps, written.resource.uid);
  return create(AgentResponseSchema, { agent: view(deps, { record: written.resource, activity }, context) });
};

const activityOf = async (deps: AgentOperationsDeps, uid: string): Promise<string> =>
  (await deps.store.direct.resources.activity([uid])).get(uid) ?? '';

const createAgent = async (
  deps: AgentOperationsDeps,
  request: CreateAgentRequest,
  context: CallContext,
): Promise<AgentResponse> => {
  const { ns, name = '', template, labels, annotations } = request;
  const key = recordKey('Agent', ns, name === '' ? deps.ids.next() : name);
  const written = await deps.store.write(async (tx) => {
    const templated = template === '' ? undefined : await mergeTemplate(tx, request, deps.seal);
    const spec = templated?.spec ?? request.spec ?? emptyAgentSpec();
    const system = templated?.system ?? {};
    return deps.writer.create(tx, context, {
      key,
      spec,
      labels,
      annotations,
      system,
      metadataPath: '',
      resourceVersion: context.sentMetadata?.resourceVersion ?? '',
    });
  });
  return answer(deps, written, context);
};

/** GetAgent is the hot path: one keyed read, its activity, a cached message and a cached answer. */
const agentReader = (deps: AgentOperationsDeps) => {
  const answers = new WeakMap<Agent, GetAgentResponse>();
  return async (request: GetAgentRequest, context: CallContext): Promise<GetAgentResponse> => {
    const key = recordKey('Agent', request.ns, request.name);
    const record = await deps.store.direct.resources.get(key);
    if (record === undefined) {
      await requireNamespace(deps.store.direct, request.ns);
      throw resourceNotFound(key);
    }
    const agent = view(deps, { record, activity: await activityOf(deps, record.uid) }, context);
    const known = answers.get(agent);
    if (known !== undefined) return known;
    const response = deepFreeze(create(GetAgentResponseSchema, { agent }));
    answers.set(agent, response);
    return response;
  };
};

const modifyAgent = async (
  deps: AgentOperationsDeps,
  request: ModifyAgentRequest,
  context: CallContext,
): Promise<AgentResponse> => {
  const paths = request.updateMask?.paths ?? [];
  for (const path of paths)
    if (!isMaskPath(path)) throw invalidField('updateMask', `${path} is not a field of an agent`);
  const written = await deps.store.write((tx) =>
    deps.writer.modify(tx, context, {
      key: recordKey('Agent', request.ns, request.agent),
      resourceVersion: request.resourceVersion,
      metadataPath: '',
      change: (current) => {
        const isStale = request.resourceVersion !== '' && request.resourceVersion !== String(current.version);
        // A stale body is refused by the writer, as such.
        if (!isStale) requireKept(context.sentMetadata, current, 'ModifyAgent');
        return desiredAgent({ tx, seal: deps.seal }, request, current);
      },
    }),
  );
  return answer(deps, written, context);
};

const SPEC_PREFIX = 'spec.';

const isMaskPath = (path: string): boolean =>
  path === 'spec' ||
  path === 'labels' ||
  path === 'annotations' ||
  (path.startsWith(SPEC_PREFIX) && isFieldPath(AgentSpecSchema, path.slice(SPEC_PREFIX.length)));

const desiredAgent = async (
  from: { readonly tx: WriteTx; readonly seal: Pick<ValueSeal, 'open'> },
  request: ModifyAgentRequest,
  current: StoredResource,
): Promise<DesiredResource> => {
  const { template, labels, annotations } = request;
  const paths = request.updateMask?.paths ?? [];
  const isSpecMeant = paths.length === 0 || paths.some((path) => path.startsWith('spec'));
  const templated = template === '' || !isSpecMeant ? undefined : await mergeTemplate(from.tx, request, from.seal);
  const given = templated?.spec ?? request.spec;
  const system = templated?.system ?? {};
  if (paths.length > 0) {
    const spec = maskedSpec(current, given, paths);
    return {
      system,
      ...(spec === undefined ? {} : { spec, given: given ?? emptyAgentSpec() }),
      ...(paths.includes('labels') ? { labels } : {}),
      ...(paths.includes('annotations') ? { annotations } : {}),
    };
  }
  return {
    system,
    ...(given === undefined ? {} : { spec: given }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
};

const maskedSpec = (
  current: StoredResource,
  given: AgentSpec | undefined,
  paths: readonly string[],
): AgentSpec | undefined => {
  const wanted = given ?? emptyAgentSpec();
  if (paths.includes('spec')) return wanted;
  const fields = paths.filter((path) => path.startsWith(SPEC_PREFIX)).map((path) => path.slice(SPEC_PREFIX.length));
  if (fields.length === 0) return undefined;
  const forms = {
    current: parseJsonMap(current.spec) ?? {},
    wanted: toJson(AgentSpecSchema, wanted) as JsonMap,
  };
  return fromJson(AgentSpecSchema, applyFieldMask(AgentSpecSchema, forms, fields) as JsonValue, {
    ignoreUnknownFields: true,
  });
};

const listAgents = async (
  deps: AgentOperationsDeps,
  request: ListAgentsRequest,
  context: CallContext,
): Promise<ListAgentsResponse> => {
  const { ns, labelSelector, metadataOnly } = request;
  const size = pageSize(request.pageSize, metadataOnly);
  const labels = parseLabelSelector(labelSelector);
  const question = ['agents', ns, labelSelector, metadataOnly];
  const [place] = decodePageToken(request.pageToken, question) ?? [];
  await requireNamespace(deps.store.direct, ns);
  const { page, activity } = await deps.store.read(async (tx) => {
    const filled = await fillPage<StoredResource>({
      size,
      bytes: deps.responseBytes,
      metadataOnly,
      after: place === undefined ? undefined : recordKey('Agent', ns, place),
      read: (after, limit) =>
        tx.resources.list({
          kind: 'Agent',
          scope: { type: 'namespace', namespace: ns },
          labels,
          limit,
          ...(after === undefined ? {} : { after }),
        }),
    });
    const uids = metadataOnly ? [] : filled.rows.map((row) => row.uid);
    return { page: filled, activity: await tx.resources.activity(uids) };
  });
  return create(ListAgentsResponseSchema, {
    agents: page.rows.map((record) =>
      view(deps, { record, activity: activity.get(record.uid) ?? '', metadataOnly }, context),
    ),
    nextPageToken: page.next === undefined ? '' : encodePageToken(question, [page.next.name]),
  });
};
