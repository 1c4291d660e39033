import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { BodyForm, Json } from './body-form.ts';
import { fillFromPath, gather, isOwn, pathValues, specOf, strangersOf } from './gather-resource.ts';
import { memberNames, type ResourceJson } from './resource-json.ts';
import { noteSentMetadata } from './sent-metadata.ts';

type ResourceField = DescField & { readonly message: DescMessage };

const isResource = (desc: DescMessage): boolean => {
  const names = desc.fields.map((field) => field.name);
  return names.includes('metadata') && names.includes('spec');
};

/** The field that carries a whole resource. */
const resourceField = ({ typeName, fields }: DescMessage): ResourceField => {
  const found = fields.find(
    (field): field is ResourceField => field.fieldKind === 'message' && isResource(field.message),
  );
  if (found === undefined) throw new Error(`${typeName} has no field with a whole resource`);
  return found;
};

const resourceBody = (resource: ResourceJson): Json => ({
  metadata: resource.metadata,
  ...(resource.spec === undefined ? {} : { spec: resource.spec }),
  ...(resource.status === undefined ? {} : { status: resource.status }),
});

/**
 * Bodies of requests with a field for the whole resource: it may be given under its field or its kind, bare, or flat. `fold` changes a
 * resource that was said before it is filled in from the path.
 */
export const wholeResource =
  (fold?: (resource: ResourceJson) => void): BodyForm =>
  ({ input, variables }) => {
    const field = resourceField(input);
    const shape = { kind: field.message.name, spec: specOf(field.message) };
    const wholes = [field.jsonName, field.name, ...memberNames(shape.kind)];
    const keeps = (name: string): boolean => isOwn(input, name);
    return (body, params) => {
      const { own, resource } = gather(body, { shape, wholes, keeps });
      if (!resource.said) return own;
      fold?.(resource);
      fillFromPath(resource, pathValues(variables, params));
      const strangers = strangersOf(own, wholes);
      for (const name of wholes) delete own[name];
      own[field.jsonName] = { ...strangers, ...resourceBody(resource) };
      noteSentMetadata(own, resource.metadata);
      return own;
    };
  };
