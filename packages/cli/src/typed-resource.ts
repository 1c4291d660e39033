import { type DescMessage, type JsonObject, type MessageShape, toJson } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import type { CommandContext } from './context.ts';
import { CommandFailure } from './failure.ts';
import { mapOf } from './json-value.ts';
import { manifestForm, type ResourceAddress } from './kinds/index.ts';

/** A resource message in the form of manifests, status included: apiVersion, kind, metadata, spec, status. */
export const resourceJson = <D extends DescMessage>(schema: D, message: MessageShape<D>): JsonObject => {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  return { apiVersion: 'svc/v1', kind: schema.name, ...mapOf(json) };
};

/** As resourceJson, of a resource of any kind; custom kinds with their JSON. */
export const genericJson = (resource: Resource): JsonObject => manifestForm(fullJson(resource));

/** A resource as the ResourceService words it in JSON, fields without presence included. */
export const fullJson = (resource: Resource): JsonObject =>
  mapOf(toJson(ResourceSchema, resource, { alwaysEmitImplicit: true }));

/** One resource as the ResourceService knows it; throws NOT_FOUND. */
export const readGeneric = async (
  { client }: Pick<CommandContext, 'client'>,
  address: ResourceAddress,
): Promise<Resource> => {
  const { resource } = await client.resources.getResource(address);
  if (resource === undefined) throw new CommandFailure(`the server answered no ${address.kind}`);
  return resource;
};
