import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { commentOn, type FieldDescription, fieldsOf, valuesOf } from '@svc/api/descriptions';
import { code, table } from './markdown.ts';

/** Messages that have a page of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'svc.resources.ResourceMeta',
  'svc.resources.OwnerReference',
  'svc.resources.ResourceCondition',
]);

/** Fields of a message, then of every message inside it, then the values of its enums; each once. */
export const messageTables = (message: DescMessage): readonly string[] => {
  const { messages, enumerations } = shapesIn(message);
  return [
    fieldTable(message),
    ...messages.flatMap((inner) => [`### ${inner.name}`, commentOn(inner), fieldTable(inner)]),
    ...enumerations.flatMap((inner) => [`### ${inner.name}`, commentOn(inner), valueTable(inner)]),
  ];
};

interface Shapes {
  readonly messages: readonly DescMessage[];
  readonly enumerations: readonly DescEnum[];
}

const shapesIn = (root: DescMessage): Shapes => {
  const messages = new Set<DescMessage>();
  const enumerations = new Set<DescEnum>();
  const visit = (message: DescMessage): void => {
    for (const { message: inner, enumeration } of fieldsOf(message)) {
      if (enumeration !== undefined) enumerations.add(enumeration);
      if (inner === undefined || inner === root || messages.has(inner) || !isShown(inner)) continue;
      messages.add(inner);
      visit(inner);
    }
  };
  visit(root);
  return { messages: [...messages], enumerations: [...enumerations] };
};

const isShown = ({ typeName }: DescMessage): boolean => typeName.startsWith('svc.') && !ELSEWHERE.has(typeName);

/** One row for each field. */
export const fieldTable = (message: DescMessage): string => {
  const fields = fieldsOf(message);
  if (fields.length === 0) return 'No fields.';
  const rows = fields.map((field) => [code(field.name), field.type, fallbackOf(field), field.text]);
  return table(['Field', 'Type', 'Default', 'Meaning and rules'], rows);
};

const fallbackOf = ({ fallback, isRequired }: FieldDescription): string => (isRequired ? 'required' : fallback);

const valueTable = (enumeration: DescEnum): string =>
  table(
    ['Value', 'Meaning'],
    valuesOf(enumeration).map(({ name, text }) => [code(name), text]),
  );
