import type { DescField } from '@bufbuild/protobuf';
import { ResourceSpecSchema } from '@svc/api/resources';
import {
  type BodyForm,
  fillFromPath,
  firstDefined,
  gather,
  isJsonObject,
  isOwn,
  type Json,
  type KindShape,
  memberNames,
  pathValues,
  strangersOf,
} from '../../../operations/index.ts';

/** ApplyResource: the manifest bare or as `manifest`, its spec bare or as a ResourceSpec. */
export const manifestBody: BodyForm = ({ input, variables }) => {
  const keeps = (name: string): boolean => isOwn(input, name) && name !== 'name';
  return (body, params) => {
    const path = pathValues(variables, params);
    const kind = path['kind'] ?? '';
    const member = ResourceSpecSchema.fields.find((candidate) => memberNames(kind).includes(candidate.jsonName));
    const shape: KindShape = { kind, spec: member?.message };
    const apiVersion = firstDefined(body, ['apiVersion', 'api_version']);
    const inner = body['manifest'];
    const innerVersion = isJsonObject(inner) ? firstDefined(inner, ['apiVersion', 'api_version']) : undefined;
    const bare = withoutVersion(body);
    if (isJsonObject(inner)) bare['manifest'] = withoutVersion(inner);
    const { own, resource } = gather(bare, { shape, wholes: ['manifest'], keeps });
    const strangers = strangersOf(own, ['manifest']);
    const version = apiVersion ?? innerVersion;
    fillFromPath(resource, { name: path['name'], ns: kind === 'Namespace' ? undefined : path['ns'] });
    const spec = resource.spec === undefined ? {} : { spec: wrapSpec(resource.spec, member) };
    own['manifest'] = {
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
