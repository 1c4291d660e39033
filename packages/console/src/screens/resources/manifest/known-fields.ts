import type { DescMessage } from '@bufbuild/protobuf';
import { type FieldDescription, fieldsOf, valuesOf } from '@svc/api/descriptions';
import { kindFacts } from '@svc/api/kinds';
import { otherForms } from '@svc/api/manifest-forms';
import { ResourceMetaSchema } from '@svc/api/resources';
import { specOfKind } from './stored-json.ts';

/** A member that a map of a manifest may have. */
export interface KnownField {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly fallback: string;
  readonly isRequired: boolean;
  /** What its map, or each of its items, holds; undefined where that is free. */
  readonly inside: DescMessage | undefined;
  /** How a value begins that is written for it. */
  readonly shape: 'single' | 'map' | 'list';
  readonly values: readonly { readonly name: string; readonly text: string }[];
}

/** Set by the server, never written by people. */
const NOT_WRITTEN = new Set(['generation', 'resourceVersion', 'uid', 'deletionTimestamp']);

/** The members of the whole manifest of a kind. */
export const rootFields = (kind: string): readonly KnownField[] => {
  const spec = specOfKind(kind);
  const plain = {
    type: 'string',
    fallback: '',
    isRequired: false,
    inside: undefined,
    shape: 'single',
    values: [],
  } as const;
  return [
    { ...plain, name: 'apiVersion', text: 'svc/v1 for the kinds of the server.', fallback: '`svc/v1`' },
    {
      ...plain,
      name: 'kind',
      text: 'Name of the kind.',
      isRequired: true,
      values: kindFacts.filter(({ authorable }) => authorable).map((facts) => ({ name: facts.kind, text: '' })),
    },
    {
      ...plain,
      name: 'metadata',
      type: 'ResourceMeta',
      text: 'Name, namespace, labels and what the server keeps about the resource.',
      isRequired: true,
      inside: ResourceMetaSchema,
      shape: 'map',
    },
    { ...plain, name: 'spec', type: spec?.name ?? 'any value', text: 'Desired state.', inside: spec, shape: 'map' },
  ];
};

/** The members of a message as manifests write them: short forms instead of the stored ones. */
export const fieldsIn = (message: DescMessage): readonly KnownField[] => {
  const others = Object.entries(otherForms[message.typeName] ?? {});
  return fieldsOf(message)
    .filter(({ name }) => message !== ResourceMetaSchema || !NOT_WRITTEN.has(name))
    .map((field, index) => {
      const stored = message.fields[index]?.name ?? '';
      const [name, other] = others.find(([, { field: meant, form }]) => meant === stored && form !== 'inside') ?? [];
      const isJson = stored.endsWith('_json');
      const known = knownField(field);
      return {
        ...known,
        ...(isJson && { type: 'any value, kept as JSON', shape: 'map' as const }),
        ...(other?.form === 'seconds' && { type: 'duration, such as 30s or 5m' }),
        name: name ?? field.name,
      };
    });
};

const knownField = (field: FieldDescription): KnownField => {
  const { name, type, text, fallback, isRequired, message, enumeration } = field;
  const isList = type.startsWith('list of ');
  const isMap = type.startsWith('map of ') || (message !== undefined && !message.typeName.startsWith('google.'));
  return {
    name,
    type,
    text,
    fallback,
    isRequired,
    inside: type.startsWith('map of ') || message?.typeName.startsWith('google.') ? undefined : message,
    shape: isList ? 'list' : isMap ? 'map' : 'single',
    values: valuesWritten(field, enumeration),
  };
};

const valuesWritten = (
  { type }: FieldDescription,
  enumeration: FieldDescription['enumeration'],
): KnownField['values'] => {
  if (type === 'boolean') return ['true', 'false'].map((name) => ({ name, text: '' }));
  if (enumeration === undefined) return [];
  const prefix = enumeration.sharedPrefix?.length ?? 0;
  return valuesOf(enumeration).map(({ name, text }) => ({ name: name.slice(prefix).toLowerCase(), text }));
};
