import { create } from '@bufbuild/protobuf';
import {
  DeletePropagation,
  type DeleteResourceRequest,
  type DeleteResourceResponse,
  DeleteResourceResponseSchema,
  type GetResourceRequest,
  type ListResourcesRequest,
  type ListResourcesResponse,
  ListResourcesResponseSchema,
  type ResourceResponse,
  ResourceResponseSchema,
  ResourceService,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, invalidField, pageSize } from '../../../base/index.ts';
import type { Propagation, RemoveResult } from '../../../controllers/contract.ts';
import { admin, type Operation, operation, viewer } from '../../../operations/index.ts';
import { fillPage, parseLabelSelector, resourceNotFound } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { applyManifests, applyResource } from './apply/index.ts';
import { manifestBody } from './manifest-body.ts';
import type { ManifestsDeps } from './manifests-deps.ts';
import { ManifestTexts } from './reading/index.ts';
import { addressOf, requireKind } from './resource-address.ts';
import { ChangeEvents } from './resource-events.ts';
import { listScope, requireScope } from './resource-scope.ts';
import { showResources } from './resource-shown.ts';
import { ResourceWatch } from './resource-watch.ts';

/** ResourceService: reads, writes, deletion and watches of every kind. */
export const resourceOperations = (deps: ManifestsDeps): readonly Operation[] => {
  const { method } = ResourceService;
  const events = new ChangeEvents(deps.views);
  const texts = new ManifestTexts(deps.clock);
  return [
    operation(method.applyResource, {
      access: admin('written-resource'),
      body: manifestBody,
      handle: (request, context) => applyResource(deps, request, context),
    }),
    operation(method.applyManifests, {
      access: admin('manifests'),
      yamlField: 'text',
      handle: (request, context) => applyManifests({ ...deps, texts }, request, context),
    }),
    operation(method.getResource, {
      access: viewer('fields'),
      handle: (request, context) => getResource(deps, request, context),
    }),
    operation(method.listResources, {
      access: viewer('fields'),
      handle: (request, context) => listResources(deps, request, context),
    }),
    operation(method.deleteResource, {
      access: admin('written-resource'),
      handle: (request, context) => deleteResource(deps, request, context),
    }),
    operation(method.watchResources, {
      access: viewer('fields'),
      cursorField: 'resourceVersion',
      handle: (request, context, sink) => new ResourceWatch({ ...deps, events }, { request, context, sink }).run(),
    }),
  ];
};

const getResource = async (
  deps: ManifestsDeps,
  request: GetResourceRequest,
  context: CallContext,
): Promise<ResourceResponse> =>
  deps.store.read(async (tx) => {
    const key = await addressOf(tx, request);
    const record = await tx.resources.get(key);
    if (record === undefined) {
      await requireScope(tx, request.ns);
      throw resourceNotFound(key);
    }
    const [resource] = await showResources(deps, tx, { records: [record], context });
    return create(ResourceResponseSchema, resource === undefined ? {} : { resource });
  });

const listResources = async (
  deps: ManifestsDeps,
  request: ListResourcesRequest,
  context: CallContext,
): Promise<ListResourcesResponse> => {
  const { ns, kind, recursive, labelSelector, metadataOnly, parent } = request;
  const size = pageSize(request.pageSize, metadataOnly);
  const labels = parseLabelSelector(labelSelector);
  const question = ['resources', ns, kind, recursive, labelSelector, metadataOnly, parent];
  const place = decodePageToken(request.pageToken, question);
  const version = place?.[0] ?? String((await deps.store.direct.resources.versionRange()).newest);
  return deps.store.read(async (tx) => {
    await requireScope(tx, ns);
    if (kind !== '') await requireKind(tx, kind);
    const { scope, keep } = await listScope(tx, request, deps.namespaces.descendants);
    const page = await fillPage<StoredResource>({
      size,
      bytes: deps.responseBytes,
      metadataOnly,
      after: placeKey(place),
      keep,
      read: (after, limit) =>
        tx.resources.list({
          scope,
          labels,
          limit,
          ...(kind === '' ? {} : { kind }),
          ...(parent === '' ? {} : { parent }),
          ...(after === undefined ? {} : { after }),
        }),
    });
    return create(ListResourcesResponseSchema, {
      resources: await showResources(deps, tx, { records: page.rows, context, metadataOnly, isList: true }),
      nextPageToken: page.next === undefined ? '' : encodePageToken(question, [version, ...keyParts(page.next)]),
      resourceVersion: version,
    });
  });
};

const keyParts = (key: ResourceKey): readonly string[] => [key.kind, key.namespace, key.parent, key.name];

const placeKey = (place: readonly string[] | undefined): ResourceKey | undefined => {
  if (place === undefined) return undefined;
  const [, kind = '', namespace = '', parent = '', name = ''] = place;
  return { kind, namespace, parent, name };
};

const deleteResource = async (
  deps: ManifestsDeps,
  request: DeleteResourceRequest,
  context: CallContext,
): Promise<DeleteResourceResponse> => {
  const propagation = propagationOf(request.propagation);
  const { resource, pending } = await deps.store.write(async (tx): Promise<RemoveResult> => {
    const key = await addressOf(tx, request);
    const { resourceVersion } = request;
    if (key.kind === 'Namespace' && !(request.force && (await isHeld(tx, key)))) {
      const tombstone = await deps.namespaces.remove(tx, context, { name: key.name, purge: false, resourceVersion });
      return { resource: tombstone, pending: true };
    }
    return deps.writer.remove(tx, context, {
      key,
      resourceVersion,
      propagation,
      force: request.force,
    });
  });
  const [shown] = await deps.store.read((tx) => showResources(deps, tx, { records: [resource], context }));
  return create(DeleteResourceResponseSchema, { pending, ...(shown === undefined ? {} : { resource: shown }) });
};

/** True for a namespace whose purge is over but for its finalizers: these may be stripped as of any resource. */
const isHeld = async (tx: ReadTx, key: ResourceKey): Promise<boolean> =>
  (await tx.resources.get(key))?.deletionTimestamp !== undefined;

const PROPAGATIONS: ReadonlyMap<number, Propagation> = new Map([
  [DeletePropagation.UNSPECIFIED, 'background'],
  [DeletePropagation.BACKGROUND, 'background'],
  [DeletePropagation.FOREGROUND, 'foreground'],
  [DeletePropagation.ORPHAN, 'orphan'],
]);

const propagationOf = (value: DeletePropagation): Propagation => {
  const known = PROPAGATIONS.get(value);
  if (known === undefined) throw invalidField('propagation', 'is not one of the values');
  return known;
};
