import type { DescMessage } from '@bufbuild/protobuf';
import { Fault } from '../../base/index.ts';
import { otherJsonNames } from '../other-names.ts';
import type { Json } from './body-form.ts';
import { isJsonObject, openJson } from './json-object.ts';
import { mergeJson, mergeMember, saidTwice } from './merge-json.ts';

/** What the resource readers need to know of a kind. */
export interface KindShape {
  /** `McpServer`. */
  readonly kind: string;
  /** Spec message of the kind; absent for kinds that this server does not know. */
  readonly spec: DescMessage | undefined;
}

/** A resource gathered from all places where a body may say it. */
export interface ResourceJson {
  readonly apiVersion?: unknown;
  metadata: Json;
  /** Where each member of the metadata stood in the body: `labels`, `agent.metadata.labels`. */
  readonly places: Json;
  spec: Json | undefined;
  status: unknown;
  /** True once anything of the resource was said. */
  said: boolean;
}

/** A resource of which nothing was said yet. */
export const emptyResource = (): ResourceJson => ({
  metadata: {},
  places: openJson(),
  spec: undefined,
  status: undefined,
  said: false,
});

/** Both JSON spellings of a kind's name: `mcpServer`, `mcp_server`. */
export const memberNames = (kind: string): readonly [camel: string, snake: string] => [
  kind.charAt(0).toLowerCase() + kind.slice(1),
  kind.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase(),
];

const versions: readonly unknown[] = ['', 'v1', 'svc/v1'];

/** Throws INVALID_ARGUMENT FIELD_INVALID for one field. */
export const refuseField = (field: string, description: string): never => {
  throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `${field}: ${description}`, {
    violations: [{ field, description, reason: 'FIELD_INVALID' }],
  });
};

const objectAt = (value: unknown, at: string): Json =>
  isJsonObject(value) ? value : refuseField(at, 'must be an object');

const specField = ({ spec }: KindShape, name: string): boolean =>
  spec !== undefined &&
  (spec.fields.some((field) => field.jsonName === name || field.name === name) ||
    Object.hasOwn(otherJsonNames(spec), name));

/** `spec` may be a ResourceSpec: one member named after the kind. */
const unwrapSpec = (spec: Json, shape: KindShape): Json => {
  const [only, ...others] = Object.keys(spec);
  if (only === undefined || others.length > 0 || !memberNames(shape.kind).includes(only) || specField(shape, only))
    return spec;
  const inner = spec[only];
  return isJsonObject(inner) ? inner : spec;
};

/**
 * Adds one object that says the resource, or parts of it: bare, with name, labels, annotations and spec fields standing
 * directly. Members that belong to nothing are returned, for the decoder to name.
 */
export const addResource = (
  into: ResourceJson,
  json: Json,
  place: { readonly shape: KindShape; readonly at: string },
): Json => {
  const { shape } = place;
  const rest = openJson();
  for (const key of Object.keys(json)) {
    const value = json[key];
    if (value === null || value === undefined) continue;
    const at = place.at === '' ? key : `${place.at}.${key}`;
    if (!addPart(into, key, { value, at, shape })) rest[key] = value;
    else into.said = true;
  }
  return rest;
};

interface Part {
  readonly value: unknown;
  readonly at: string;
  readonly shape: KindShape;
}

const addPart = (into: ResourceJson, key: string, part: Part): boolean => {
  const { value, at, shape } = part;
  switch (key) {
    case 'apiVersion':
    case 'api_version':
      if (!versions.includes(value)) refuseField(at, 'must be svc/v1');
      return true;
    case 'kind':
      if (value !== '' && value !== shape.kind) throw saidTwice(at);
      return true;
    case 'metadata':
      for (const name of Object.keys(objectAt(value, at))) into.places[name] ??= `${at}.${name}`;
      mergeJson(into.metadata, objectAt(value, at), at);
      return true;
    case 'spec':
      into.spec = mergeJson(into.spec ?? {}, unwrapSpec(objectAt(value, at), shape), at);
      return true;
    case 'status':
      into.status = value;
      return true;
    case 'name':
    case 'labels':
    case 'annotations':
      into.places[key] ??= at;
      mergeMember(into.metadata, key, { value, at });
      return true;
    default:
      if (!specField(shape, key)) return false;
      into.spec ??= {};
      mergeMember(into.spec, key, { value, at });
      return true;
  }
};
