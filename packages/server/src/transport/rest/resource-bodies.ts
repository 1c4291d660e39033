import type { DescField, DescMessage } from '@bufbuild/protobuf';
import {
  AgentSchema,
  NamespaceSchema,
  ResourceMetaSchema,
  ResourceSpecSchema,
  SessionSchema,
} from '@svc/api/resources';
import { DecodeReport, isJsonObject, type JsonDecoder } from '../codec/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { mergeMember } from './merge-json.ts';
import { parseTemplate } from './path-template.ts';
import {
  addResource,
  emptyResource,
  type KindShape,
  memberNames,
  openJson,
  type ResourceJson,
  refuseField,
} from './resource-json.ts';
import { noteSentMetadata } from './sent-metadata.ts';

type Json = Record<string, unknown>;

/** Rewrites the body of one operation to the JSON of its request; `params` are the path values in order. */
export type BindBody = (body: Json, params: readonly string[]) => Json;

const specOf = (resource: DescMessage): DescMessage | undefined =>
  resource.fields.find((field) => field.name === 'spec')?.message;

const isResource = (desc: DescMessage): boolean => {
  const names = desc.fields.map((field) => field.name);
  return names.includes('metadata') && names.includes('spec');
};

/** The field that carries a whole resource, such as `schedule` of CreateScheduleRequest. */
export const resourceField = (method: MethodEntry): (DescField & { readonly message: DescMessage }) | undefined =>
  method.input.fields.find(
    (field): field is DescField & { readonly message: DescMessage } =>
      field.fieldKind === 'message' && isResource(field.message),
  );

const isOwn = (input: DescMessage, name: string): boolean =>
  input.fields.some((field) => field.jsonName === name || field.name === name);

const firstDefined = (json: Json, names: readonly string[]): unknown =>
  names.map((name) => json[name]).find((value) => value !== undefined);

interface Gathering {
  readonly input: DescMessage;
  readonly shape: KindShape;
  /** Names under which the resource is one object. */
  readonly wholes: readonly string[];
  /** Request fields that a body may only say as the request's own. */
  readonly keeps: (name: string) => boolean;
}

/** Splits a body into the request's own members and everything that says the resource. */
const gather = (body: Json, parts: Gathering): { own: Json; resource: ResourceJson } => {
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
const fillFromPath = (resource: ResourceJson, values: Readonly<Record<string, string | undefined>>): void => {
  const { name, ns, channel } = values;
  if (name !== undefined) mergeMember(resource.metadata, 'name', { value: name, at: 'metadata.name' });
  if (ns !== undefined) fill(resource.metadata, 'namespace', { value: ns, at: 'metadata.namespace' });
  if (channel !== undefined && resource.spec !== undefined)
    fill(resource.spec, 'channel', { value: channel, at: 'spec.channel' });
};

/** As mergeMember, with '' counting as left out. */
const fill = (into: Json, key: string, given: { readonly value: unknown; readonly at: string }): void => {
  if (into[key] === '') delete into[key];
  mergeMember(into, key, given);
};

/** Values of a request's path by the names of its variables. */
type PathValues = (params: readonly string[]) => Record<string, string | undefined>;

const pathValuesOf = (method: MethodEntry): PathValues => {
  const { variables } = parseTemplate(method.http?.path ?? '/');
  return (params) => {
    const values: Record<string, string | undefined> = {};
    for (let index = 0; index < variables.length; index++) values[variables[index] as string] = params[index];
    return values;
  };
};

const resourceBody = (resource: ResourceJson): Json => ({
  metadata: resource.metadata,
  ...(resource.spec === undefined ? {} : { spec: resource.spec }),
  ...(resource.status === undefined ? {} : { status: resource.status }),
});

/** Members of a template's spec that hold the whole rendered spec. */
const SPEC_JSON = ['specJson', 'spec_json', 'spec'];

/** Template bodies: the rendered spec may be given as `spec.spec` or as the fields of `spec` themselves. */
const foldTemplateSpec = (resource: ResourceJson): void => {
  const { spec } = resource;
  if (spec === undefined) return;
  const folded: Json = {};
  const fields = openJson();
  for (const key of Object.keys(spec)) {
    if (key === 'kind' || key === 'metadata') folded[key] = spec[key];
    else if (SPEC_JSON.includes(key)) mergeMember(folded, 'specJson', { value: spec[key], at: `spec.${key}` });
    else fields[key] = spec[key];
  }
  if (Object.keys(fields).length > 0) mergeMember(folded, 'specJson', { value: fields, at: 'spec' });
  resource.spec = folded;
};

/** What is in the whole resource and belongs to nothing, for the decoder to name; refuses a whole that is not an object. */
const strangersOf = (own: Json, wholes: readonly string[]): Json => {
  const name = wholes.find((whole) => own[whole] !== undefined && own[whole] !== null) ?? '';
  const value = own[name] ?? {};
  return isJsonObject(value) ? value : refuseField(name, 'must be an object');
};

/** Requests with a field for the whole resource: CreateSchedule, ModifyChannel, CreateFile, … */
export const wrappedBinder = (method: MethodEntry, field: DescField & { readonly message: DescMessage }): BindBody => {
  const { input } = method;
  const shape = { kind: field.message.name, spec: specOf(field.message) };
  const wholes = [field.jsonName, field.name, ...memberNames(shape.kind)];
  const keeps = (name: string): boolean => isOwn(input, name);
  const pathValues = pathValuesOf(method);
  return (body, params) => {
    const { own, resource } = gather(body, { input, shape, wholes, keeps });
    if (!resource.said) return own;
    if (shape.kind === 'Template') foldTemplateSpec(resource);
    fillFromPath(resource, pathValues(params));
    const strangers = strangersOf(own, wholes);
    for (const name of wholes) delete own[name];
    own[field.jsonName] = { ...strangers, ...resourceBody(resource) };
    noteSentMetadata(own, resource.metadata);
    return own;
  };
};

/** ApplyResource: the manifest bare or as `manifest`, its spec bare or as a ResourceSpec. */
export const manifestBinder = (method: MethodEntry, field: DescField): BindBody => {
  const { input } = method;
  const keeps = (name: string): boolean => isOwn(input, name) && name !== 'name';
  const pathValues = pathValuesOf(method);
  return (body, params) => {
    const path = pathValues(params);
    const kind = path['kind'] ?? '';
    const member = ResourceSpecSchema.fields.find((candidate) => memberNames(kind).includes(candidate.jsonName));
    const shape: KindShape = { kind, spec: member?.message };
    const apiVersion = firstDefined(body, ['apiVersion', 'api_version']);
    const inner = body[field.jsonName];
    const innerVersion = isJsonObject(inner) ? firstDefined(inner, ['apiVersion', 'api_version']) : undefined;
    const bare = withoutVersion(body);
    if (isJsonObject(inner)) bare[field.jsonName] = withoutVersion(inner);
    const { own, resource } = gather(bare, { input, shape, wholes: [field.jsonName], keeps });
    const strangers = strangersOf(own, [field.jsonName]);
    const version = apiVersion ?? innerVersion;
    fillFromPath(resource, { name: path['name'], ns: kind === 'Namespace' ? undefined : path['ns'] });
    const spec = resource.spec === undefined ? {} : { spec: wrapSpec(resource.spec, member) };
    own[field.jsonName] = {
      ...strangers,
      ...(version === undefined ? {} : { apiVersion: version }),
      kind,
      metadata: resource.metadata,
      ...spec,
    };
    return own;
  };
};

const withoutVersion = (json: Json): Json => {
  const { apiVersion: _camel, api_version: _snake, ...rest } = json;
  return rest;
};

/** A spec as ResourceSpec member; one that is already wrapped, rightly or wrongly, stays for the decoder and validation. */
const wrapSpec = (spec: Json, member: DescField | undefined): Json => {
  const keys = Object.keys(spec);
  const isWrapped =
    keys.length === 1 &&
    ResourceSpecSchema.fields.some((field) => field.jsonName === keys[0] || field.name === keys[0]);
  const known = member?.message?.fields.some((field) => field.jsonName === keys[0] || field.name === keys[0]) === true;
  if (isWrapped && !known) return spec;
  return member === undefined ? { raw: { json: spec } } : { [member.jsonName]: spec };
};

/** Requests that spell the resource out as fields: CreateAgent, ModifyAgent, CreateNamespace, CreateSession. */
export const flatBinder = (method: MethodEntry, resource: DescMessage, decoder: JsonDecoder): BindBody => {
  const { input } = method;
  const shape = { kind: resource.name, spec: specOf(resource) };
  const wholes = memberNames(shape.kind);
  const shared = new Set(['name', 'labels', 'annotations', 'spec']);
  const keeps = (name: string): boolean => isOwn(input, name) && !shared.has(name);
  const pathValues = pathValuesOf(method);
  return (body, params) => {
    const { own, resource: said } = gather(body, { input, shape, wholes, keeps });
    const path = pathValues(params);
    const saysMetadata = Object.keys(said.metadata).length > 0;
    if (shape.kind !== 'Namespace') fill(said.metadata, 'namespace', { value: path['ns'], at: 'metadata.namespace' });
    if (saysMetadata) {
      checkMetadata(said, decoder);
      noteSentMetadata(own, said.metadata);
    }
    refuseUnsupportedMetadata(said.metadata, unsupportedMetadata[operationName(method)] ?? []);
    takeMetadata(said.metadata, own, input);
    const place = { shape, decoder, path };
    if (shape.kind === 'Session') takeSessionSpec(said, own, place);
    else {
      const named = shape.kind === 'Agent' && !isOwn(input, 'name') ? 'agent' : 'name';
      mergeMember(own, named, { value: said.metadata['name'] === '' ? undefined : said.metadata['name'], at: named });
      if (isOwn(input, 'spec')) mergeMember(own, 'spec', { value: said.spec, at: 'spec' });
      else takeNamespaceSpec(said, own, place);
    }
    return own;
  };
};

/**
 * Metadata that a create has no field for, so that it would be lost in silence. What only a read answers (uid, generation) is
 * ignored everywhere. What a modify or a repeated CreateNamespace sends back is compared with what is stored (SentMetadata).
 */
const unsupportedMetadata: Readonly<Record<string, readonly string[]>> = {
  CreateAgent: ['ownerReferences', 'finalizers'],
  CreateSession: ['name', 'annotations', 'ownerReferences', 'finalizers', 'resourceVersion'],
};

const operationName = ({ operation }: MethodEntry): string => operation.slice(operation.indexOf('/') + 1);

const NOT_TAKEN: Readonly<Record<string, string>> = {
  name: 'the server gives a session its id',
  resource_version: 'belongs to a stored session, and this call makes a new one: leave it out',
};

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

const refuseUnsupportedMetadata = (metadata: Json, names: readonly string[]): void => {
  const report = new DecodeReport();
  for (const field of ResourceMetaSchema.fields.filter(({ jsonName }) => names.includes(jsonName))) {
    const value = firstDefined(metadata, [field.jsonName, field.name]);
    if (isNothing(value)) continue;
    report.add(
      `metadata.${field.jsonName}`,
      NOT_TAKEN[field.name] ?? 'is not taken at creation: ApplyResource takes it',
    );
  }
  report.throwIfAny();
};

/** Labels, annotations and the version of an optimistic write, where the request has fields for them. */
const takeMetadata = (metadata: Json, own: Json, input: DescMessage): void => {
  for (const key of ['labels', 'annotations']) {
    if (isOwn(input, key)) mergeMember(own, key, { value: metadata[key], at: key });
  }
  if (!isOwn(input, 'resource_version')) return;
  const version = firstDefined(metadata, ['resourceVersion', 'resource_version']);
  mergeMember(own, 'resourceVersion', { value: version === '' ? undefined : version, at: 'metadata.resourceVersion' });
};

interface SpecPlace {
  readonly shape: KindShape;
  readonly decoder: JsonDecoder;
}

/** Names unknown members of parts that the request has no place for. */
const checkPart = (desc: DescMessage | undefined, json: Json, place: { decoder: JsonDecoder; at: string }): void => {
  if (desc === undefined) return;
  const report = new DecodeReport();
  place.decoder.read(desc, json, { report, at: place.at });
  report.throwIfAny();
};

/** Faults are named by where the body said what is wrong. */
const checkMetadata = ({ metadata, places }: ResourceJson, decoder: JsonDecoder): void => {
  const found = new DecodeReport();
  decoder.read(ResourceMetaSchema, metadata, { report: found, at: '' });
  const report = new DecodeReport();
  for (const { field, description, reason } of found.violations) {
    const [name = ''] = /^[^.[]+/.exec(field) ?? [];
    report.add(`${places[name] ?? `metadata.${name}`}${field.slice(name.length)}`, description, reason);
  }
  report.throwIfAny();
};

const takeSessionSpec = (
  said: ResourceJson,
  own: Json,
  place: SpecPlace & { path: Record<string, string | undefined> },
): void => {
  const { spec } = said;
  if (spec === undefined) return;
  checkPart(place.shape.spec, spec, { decoder: place.decoder, at: 'spec' });
  mergeMember(own, 'labels', { value: spec['labels'], at: 'spec.labels' });
  if (spec['agent'] !== undefined && spec['agent'] !== '')
    fill({ agent: place.path['agent'] }, 'agent', { value: spec['agent'], at: 'spec.agent' });
};

const takeNamespaceSpec = ({ spec }: ResourceJson, own: Json, place: SpecPlace): void => {
  if (spec === undefined) return;
  checkPart(place.shape.spec, spec, { decoder: place.decoder, at: 'spec' });
  mergeMember(own, 'parent', { value: spec['parent'] === '' ? undefined : spec['parent'], at: 'spec.parent' });
};

/** Kinds of the requests that flatBinder serves. */
export const flatKinds: Readonly<Record<string, DescMessage>> = {
  CreateAgent: AgentSchema,
  ModifyAgent: AgentSchema,
  CreateNamespace: NamespaceSchema,
  CreateSession: SessionSchema,
};
