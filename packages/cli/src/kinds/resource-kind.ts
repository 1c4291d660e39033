import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { DeletePropagation } from '@svc/api/gateway';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { CommandFailure } from '../failure.ts';
import { collectPages, type Item, type Kind, type RemoveOptions, type Scope } from './kind.ts';
import { columnCells, columnHeadings } from './kind-columns.ts';
import { ageOf, labelText } from './resource-json.ts';

/** Words of a kind that every kind has by the ResourceService. */
export interface ResourceKindWords {
  readonly name: string;
  readonly plural: string;
  readonly short?: string;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The only member of an object: specs and statuses stand under the name of their kind. */
const onlyMember = (value: unknown): JsonObject => {
  const [inner] = isObject(value) ? Object.values(value) : [];
  return isObject(inner) ? inner : {};
};

/** A resource as manifests word it; custom kinds with their JSON. */
export const genericJson = (resource: Resource): JsonObject => {
  const json = toJson(ResourceSchema, resource, { alwaysEmitImplicit: true }) as JsonObject;
  const part = (name: string): JsonObject => {
    const inner = onlyMember(json[name]);
    return resource[name === 'spec' ? 'spec' : 'status']?.kind.case === 'raw' ? rawJson(inner['json']) : inner;
  };
  return { ...json, spec: part('spec'), status: part('status') };
};

const rawJson = (text: unknown): JsonObject => {
  const value: unknown = JSON.parse(typeof text === 'string' && text !== '' ? text : '{}');
  return isObject(value) ? value : {};
};

const itemOf = (scope: Scope, resource: Resource): Item => {
  const { metadata, kind } = resource;
  const json = genericJson(resource);
  const spec = isObject(json['spec']) ? json['spec'] : {};
  const status = isObject(json['status']) ? json['status'] : {};
  const { phase } = status;
  const nowMs = scope.world.nowMs();
  const channel = resource.spec?.kind.case === 'channelSubscription' ? resource.spec.kind.value.channel : '';
  const name = `${channel === '' ? '' : `${channel}/`}${metadata?.name ?? ''}`;
  const shown = typeof phase === 'string' && phase !== '' ? phase.replace(/^[A-Z_]*PHASE_/, '') : '-';
  return {
    name,
    namespace: metadata?.namespace ?? scope.namespace,
    json,
    cells: [name, shown, ...columnCells(kind, { spec, status, nowMs }), ageOf(metadata, nowMs)],
    wideCells: [metadata?.resourceVersion ?? '-', labelText(metadata?.labels)],
  };
};

/** Where the ResourceService finds one resource. */
export interface ResourceAddress {
  readonly ns: string;
  readonly kind: string;
  /** Channel of a subscription, else ''. */
  readonly parent: string;
  readonly name: string;
}

/** A subscription is named with its channel: `channel/name`; a namespace is its own namespace. */
export const addressOf = (scope: Pick<Scope, 'namespace'>, kind: string, name: string): ResourceAddress => {
  if (kind === 'Namespace') return { ns: name, kind, parent: '', name };
  const slash = kind === 'ChannelSubscription' ? name.indexOf('/') : -1;
  if (kind === 'ChannelSubscription' && slash < 0)
    throw new CommandFailure(`which channel is ${name} in?`, { hint: `write it as CHANNEL/${name}` });
  return { ns: scope.namespace, kind, parent: name.slice(0, Math.max(0, slash)), name: name.slice(slash + 1) };
};

/** One resource as the ResourceService knows it; throws NOT_FOUND. */
export const readGeneric = async ({ client }: Pick<Scope, 'client'>, address: ResourceAddress): Promise<Resource> => {
  const { resource } = await client.resources.getResource(address);
  if (resource === undefined) throw new CommandFailure(`the server answered no ${address.kind}`);
  return resource;
};

/** Deletes a resource through the ResourceService; answers what is said of it. */
export const removeGeneric = async (
  { client }: Pick<Scope, 'client'>,
  address: ResourceAddress,
  { propagation = DeletePropagation.BACKGROUND, isForced = false }: RemoveOptions,
): Promise<string> => {
  const { pending } = await client.resources.deleteResource({ ...address, propagation, force: isForced });
  return pending ? 'is being deleted' : 'deleted';
};

/** A kind whose resources are shown and deleted through the ResourceService. */
const resourceKind = (words: ResourceKindWords): Kind => {
  const { name: kind, plural, short } = words;
  return {
    name: kind,
    plural,
    words: [kind.toLowerCase(), plural, ...(short === undefined ? [] : [short])],
    isNamespaced: true,
    headings: ['name', 'phase', ...columnHeadings(kind), 'age'],
    wideHeadings: ['version', 'labels'],
    list: async (scope) => {
      const found = await collectPages(scope.limit, async (pageToken, pageSize) => {
        const request = { ns: scope.namespace, kind, pageToken, pageSize, labelSelector: scope.selector };
        const page = await scope.client.resources.listResources(request);
        return { items: page.resources, next: page.nextPageToken };
      });
      return found.map((resource) => itemOf(scope, resource));
    },
    get: async (scope, name) => itemOf(scope, await readGeneric(scope, addressOf(scope, kind, name))),
    remove: (scope, name, options) => removeGeneric(scope, addressOf(scope, kind, name), options),
    itemOf,
  };
};

/** Kinds without calls of their own here (PL-1.2). */
export const resourceKinds: readonly Kind[] = [
  { name: 'Template', plural: 'templates', short: 'tpl' },
  { name: 'McpServer', plural: 'mcpservers', short: 'mcp' },
  { name: 'McpServerBinding', plural: 'mcpserverbindings', short: 'mcpb' },
  { name: 'Knowledge', plural: 'knowledges', short: 'kn' },
  { name: 'Skill', plural: 'skills' },
  { name: 'File', plural: 'files' },
  { name: 'Secret', plural: 'secrets' },
  { name: 'Channel', plural: 'channels', short: 'ch' },
  { name: 'ChannelSubscription', plural: 'channelsubscriptions', short: 'sub' },
  { name: 'Schedule', plural: 'schedules', short: 'sched' },
  { name: 'Workflow', plural: 'workflows', short: 'wf' },
  { name: 'ConnectorClass', plural: 'connectorclasses', short: 'cc' },
  { name: 'Connector', plural: 'connectors', short: 'conn' },
  { name: 'SandboxClass', plural: 'sandboxclasses', short: 'sbc' },
  { name: 'SandboxPolicy', plural: 'sandboxpolicies', short: 'sbp' },
  { name: 'Sandbox', plural: 'sandboxes', short: 'sb' },
  { name: 'Deployment', plural: 'deployments', short: 'dep' },
  { name: 'DeploymentReplica', plural: 'deploymentreplicas' },
  { name: 'UsagePolicy', plural: 'usagepolicies', short: 'up' },
  { name: 'Task', plural: 'tasks' },
  { name: 'Worker', plural: 'workers' },
].map(resourceKind);

/** A kind of another group: its exact name is the only word for it, and its spec is whatever JSON it holds. */
export const customKind = (name: string): Kind => resourceKind({ name, plural: name });
