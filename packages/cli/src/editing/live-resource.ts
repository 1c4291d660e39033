import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import type { CommandContext } from '../context.ts';
import { isMap } from '../json-value.ts';
import { collectPages, nestedJson, type ResourceAddress } from '../kinds/index.ts';
import { genericJson, readGeneric } from '../typed-resource.ts';

/** A resource as people write it, and its version when it was read. */
export interface LiveResource {
  readonly address: ResourceAddress;
  readonly version: string;
  /** apiVersion, kind, metadata and spec; only fields that are set. */
  readonly manifest: JsonObject;
  /** As the server returned it. */
  readonly resource: Resource;
}

const SECRETS_READ = 10_000;

/** The resource at an address; of a Secret also its values if the caller may read them, which is audited. */
export const readLive = async (
  context: CommandContext,
  address: ResourceAddress,
  options: { readonly isNested?: boolean } = {},
): Promise<LiveResource> => liveOf(address, await readGeneric(context, address), options.isNested !== false);

/** As readLive, but without the values of a Secret: lists never contain them, and an empty value written back keeps the stored one. */
export const readMasked = async (
  context: CommandContext,
  address: ResourceAddress,
  options: { readonly isNested?: boolean } = {},
): Promise<LiveResource> => {
  if (address.kind !== 'Secret') return readLive(context, address, options);
  const { ns, kind } = address;
  const found = await collectPages(SECRETS_READ, async (pageToken, pageSize) => {
    const page = await context.client.resources.listResources({ ns, kind, pageToken, pageSize });
    return { items: page.resources, next: page.nextPageToken };
  });
  const secret = found.find(({ metadata }) => metadata?.name === address.name);
  // Fails in the same way as a read.
  return liveOf(address, secret ?? (await readGeneric(context, address)), options.isNested !== false);
};

const liveOf = (address: ResourceAddress, resource: Resource, isNested: boolean): LiveResource => {
  const { metadata, apiVersion, kind } = toJson(ResourceSchema, resource) as JsonObject;
  const {
    uid: _uid,
    generation: _generation,
    resourceVersion,
    deletionTimestamp: _deletion,
    ...written
  } = isMap(metadata) ? metadata : {};
  const spec = specOf(resource);
  const manifest = {
    apiVersion: apiVersion ?? 'svc/v1',
    kind: kind ?? address.kind,
    metadata: written,
    spec: isNested ? nestedJson(spec) : spec,
  };
  return { address, version: typeof resourceVersion === 'string' ? resourceVersion : '', manifest, resource };
};

const specOf = (resource: Resource): JsonObject => {
  if (resource.spec?.kind.case === 'raw') {
    const { spec } = genericJson(resource);
    return isMap(spec) ? spec : {};
  }
  const { spec } = toJson(ResourceSchema, resource) as JsonObject;
  const [inner] = isMap(spec) ? Object.values(spec) : [];
  return isMap(inner) ? inner : {};
};
