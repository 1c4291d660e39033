import type { DescMessage } from '@bufbuild/protobuf';
import type { Json } from './body-form.ts';
import { isJsonObject, openJson } from './json-object.ts';
import { mergeMember } from './merge-json.ts';
import { addResource, emptyResource, type KindShape, type ResourceJson, refuseField } from './resource-json.ts';

/** The message of a resource's spec, where it has one. */
export const specOf = (resource: DescMessage): DescMessage | undefined =>
  resource.fields.find((field) => field.name === 'spec')?.message;

/** True for the name of a field of the message, in either spelling. */
export const isOwn = (input: DescMessage, name: string): boolean =>
  input.fields.some((field) => field.jsonName === name || field.name === name);

interface Gathering {
  readonly shape: KindShape;
  /** Names under which the resource is one object. */
  readonly wholes: readonly string[];
  /** Request fields that a body may only say as the request's own. */
  readonly keeps: (name: string) => boolean;
}

/** Splits a body into the request's own members and everything that says the resource. */
export const gather = (body: Json, parts: Gathering): { own: Json; resource: ResourceJson } => {
  const own = openJson();
  const bare = openJson();
  const resource = emptyResource();
  for (const key of Object.keys(body)) {
    const value = body[key];
    if (parts.wholes.includes(key) && isJsonObject(value)) {
      const rest = addResource(resource, value, { shape: parts.shape, at: key });
      resource.said = true;
      if (Object.keys(rest).length > 0) own[key] = rest;
    } else if (key !== 'metadata' && key !== 'kind' && parts.keeps(key)) own[key] = value;
    else bare[key] = value;
  }
  Object.assign(own, addResource(resource, bare, { shape: parts.shape, at: '' }));
  return { own, resource };
};

/** The path fills in what the resource leaves out; what it says must agree. */
export const fillFromPath = (resource: ResourceJson, values: Readonly<Record<string, string | undefined>>): void => {
  const { name, ns, channel } = values;
  if (name !== undefined) mergeMember(resource.metadata, 'name', { value: name, at: 'metadata.name' });
  if (ns !== undefined) fill(resource.metadata, 'namespace', { value: ns, at: 'metadata.namespace' });
  if (channel !== undefined && resource.spec !== undefined)
    fill(resource.spec, 'channel', { value: channel, at: 'spec.channel' });
};

/** As mergeMember, with '' counting as left out. */
export const fill = (into: Json, key: string, given: { readonly value: unknown; readonly at: string }): void => {
  if (into[key] === '') delete into[key];
  mergeMember(into, key, given);
};

/** Values of a request's path by the names of its variables. */
export const pathValues = (variables: readonly string[], params: readonly string[]): PathValues => {
  const values: Record<string, string | undefined> = {};
  for (let index = 0; index < variables.length; index++) values[variables[index] as string] = params[index];
  return values;
};

export type PathValues = Readonly<Record<string, string | undefined>>;

/** What is in the whole resource and belongs to nothing, for the decoder to name; refuses a whole that is not an object. */
export const strangersOf = (own: Json, wholes: readonly string[]): Json => {
  const name = wholes.find((whole) => own[whole] !== undefined && own[whole] !== null) ?? '';
  const value = own[name] ?? {};
  return isJsonObject(value) ? value : refuseField(name, 'must be an object');
};
