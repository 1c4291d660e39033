/**
 * Writes descriptors in the notation of the fact tables, so that a test is one comparison and its
 * failure shows the field. Used by the tests of this package only.
 */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';

/** Type of a field: `string`, `TaskPhase`, `data.ObjectRef[]`, `map<string>`, with `?` for explicit presence. */
export function typeFact(field: DescField): string {
  const base = field.parent.file.proto.package;
  if (field.fieldKind === 'map') return `map<${mapValue(field, base)}>`;
  if (field.fieldKind === 'list') return `${listElement(field, base)}[]`;
  const type = field.fieldKind === 'scalar' ? scalarName(field.scalar) : typeName(field, base);
  return field.proto.proto3Optional ? `${type}?` : type;
}

/** Field as the wire tables write it: number, name (after its oneof, if any), type. */
function wireFact(field: DescField): string {
  const name = field.oneof === undefined ? field.name : `${field.oneof.name}.${field.name}`;
  return `${field.number} ${name} ${typeFact(field)}`;
}

/** All fields of a message in the order of their declaration. */
export function messageFact(message: DescMessage): string {
  return message.fields.map(wireFact).join(', ');
}

function mapValue(field: DescField & { fieldKind: 'map' }, base: string): string {
  if (field.mapKey !== ScalarType.STRING) throw new Error(`${field.name}: maps of this contract have text keys`);
  return field.mapKind === 'scalar' ? scalarName(field.scalar) : typeName(field, base);
}

function listElement(field: DescField & { fieldKind: 'list' }, base: string): string {
  return field.listKind === 'scalar' ? scalarName(field.scalar) : typeName(field, base);
}

function typeName(field: DescField, base: string): string {
  const full = (field.message ?? field.enum)?.typeName ?? '';
  return full.startsWith(`${base}.`) ? full.slice(base.length + 1) : full.replace(/^svc\./, '');
}

function scalarName(type: ScalarType): string {
  return (ScalarType[type] ?? '').toLowerCase();
}
