import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { manifestForm, writtenPart } from './manifest/index.ts';

/** A resource of any kind as YAML, status included: what `svc get KIND NAME -o yaml` prints. */
export const yamlOf = (resource: Resource): Promise<string> =>
  yamlText(manifestForm(toJson(ResourceSchema, resource, { alwaysEmitImplicit: true }) as JsonObject));

/**
 * What people wrote of a resource, as YAML to change and apply again: without status, defaults and what the server keeps. JSON
 * texts inside it are shown as what they hold.
 */
export const writtenYamlOf = (resource: Resource): Promise<string> =>
  yamlText(writtenPart(toJson(ResourceSchema, resource) as JsonObject));

/** Any JSON as YAML; long texts are not folded. Sorted, two texts differ only where their values do. */
export const yamlText = async (
  value: unknown,
  { isSorted = false }: { readonly isSorted?: boolean } = {},
): Promise<string> => {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0, sortMapEntries: isSorted });
};
