import type { DescMessage } from '@bufbuild/protobuf';
import { ResourceMetaSchema } from '@svc/api/resources';
import { DecodeReport } from '../decode-report.ts';
import type { BodyForm, Json, JsonReader } from './body-form.ts';
import { fill, gather, isOwn, type PathValues, pathValues, specOf } from './gather-resource.ts';
import { firstDefined } from './json-object.ts';
import { mergeMember } from './merge-json.ts';
import { memberNames, type ResourceJson } from './resource-json.ts';
import { noteSentMetadata } from './sent-metadata.ts';

/** How a request spells its resource out. */
export interface FlatForm {
  /** Field of the request with the name of the resource; absent where the server gives it one. */
  readonly nameField?: string;
  /**
   * Metadata that the request has no field for, so that it would be lost in silence, by JSON name with what to say of it. What only a
   * read answers (uid, generation) is ignored everywhere; what a modify or a repeated create sends back is compared with what is
   * stored (SentMetadata).
   */
  readonly refused?: Readonly<Record<string, string>>;
  /** Puts a spec that was said into the request. */
  takeSpec(spec: Json, own: Json, place: FlatPlace): void;
}

/** What a form may need when it takes a spec. */
interface FlatPlace {
  readonly path: PathValues;
  /** Names unknown members of a spec for which the request has no field. */
  readonly check: (spec: Json) => void;
}

/** Said of metadata that only the generic write of resources takes. */
export const NOT_AT_CREATION = 'is not taken at creation: ApplyResource takes it';

/** Bodies of requests that spell a resource out as fields; the resource may also be given under its kind, bare, or flat. */
export const flatResource =
  (resource: DescMessage, form: FlatForm): BodyForm =>
  ({ input, variables, reader }) => {
    const shape = { kind: resource.name, spec: specOf(resource) };
    const wholes = memberNames(shape.kind);
    const shared = new Set(['name', 'labels', 'annotations', 'spec']);
    const keeps = (name: string): boolean => isOwn(input, name) && !shared.has(name);
    const check = (spec: Json): void => checkPart(shape.spec, spec, { reader, at: 'spec' });
    return (body, params) => {
      const { own, resource: said } = gather(body, { shape, wholes, keeps });
      const path = pathValues(variables, params);
      const saysMetadata = Object.keys(said.metadata).length > 0;
      fill(said.metadata, 'namespace', { value: path['ns'], at: 'metadata.namespace' });
      if (saysMetadata) {
        checkMetadata(said, reader);
        noteSentMetadata(own, said.metadata);
      }
      refuseMetadata(said.metadata, form.refused ?? {});
      takeMetadata(said.metadata, own, input);
      takeName(said.metadata, own, form.nameField);
      if (said.spec !== undefined) form.takeSpec(said.spec, own, { path, check });
      return own;
    };
  };

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

const refuseMetadata = (metadata: Json, refused: Readonly<Record<string, string>>): void => {
  const report = new DecodeReport();
  for (const { jsonName, name } of ResourceMetaSchema.fields) {
    const description = refused[jsonName];
    if (description === undefined || isNothing(firstDefined(metadata, [jsonName, name]))) continue;
    report.add(`metadata.${jsonName}`, description);
  }
  report.throwIfAny();
};

const takeName = (metadata: Json, own: Json, field: string | undefined): void => {
  if (field === undefined) return;
  mergeMember(own, field, { value: metadata['name'] === '' ? undefined : metadata['name'], at: field });
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

/** Names unknown members of parts that the request has no place for. */
const checkPart = (desc: DescMessage | undefined, json: Json, place: { reader: JsonReader; at: string }): void => {
  if (desc === undefined) return;
  const report = new DecodeReport();
  place.reader.read(desc, json, { report, at: place.at });
  report.throwIfAny();
};

/** Faults are named by where the body said what is wrong. */
const checkMetadata = ({ metadata, places }: ResourceJson, reader: JsonReader): void => {
  const found = new DecodeReport();
  reader.read(ResourceMetaSchema, metadata, { report: found, at: '' });
  const report = new DecodeReport();
  for (const { field, description, reason } of found.violations) {
    const [name = ''] = /^[^.[]+/.exec(field) ?? [];
    report.add(`${places[name] ?? `metadata.${name}`}${field.slice(name.length)}`, description, reason);
  }
  report.throwIfAny();
};
