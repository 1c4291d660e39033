import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { isJsonMap, type JsonData, type JsonMap } from './canonical-json.ts';

type Members = Record<string, unknown>;
/** Throws for anything but the one form in which the store holds a value. */
type ReadValue = (json: JsonData, depth: number) => unknown;
type SetField = (message: Members, json: JsonData, depth: number) => void;

const lenient = { ignoreUnknownFields: true } as const;
/** Deeper messages are left to protobuf's own reader, which has a limit of its own (100). */
const DEPTH_MAX = 50;
const INTEGER_TEXT = /^(?:0|-?[1-9]\d{0,17})$/;
const LIST_VALUE = 'google.protobuf.ListValue';
const UNUSUAL = new Error('not the form in which the store holds it');

/**
 * Reads the JSON of a message as the store holds it: what protobuf's own reader would answer, fields of a newer release passed
 * over, at a third of its cost. JSON in any other form, and what is wrong with it, is left to that reader.
 */
export const storedMessage = (desc: DescMessage, map: JsonMap): Message => {
  try {
    return readerOf(desc)(map, 0) as Message;
  } catch {
    return fromJson(desc, map as JsonValue, lenient);
  }
};

/** One compiled reader per message type, as the types themselves are one per process. */
const readers = new WeakMap<DescMessage, ReadValue>();

const readerOf = (desc: DescMessage): ReadValue => {
  const known = readers.get(desc);
  if (known !== undefined) return known;
  let compiled: ReadValue | undefined;
  const read: ReadValue = (json, depth) => {
    compiled ??= compile(desc);
    return compiled(json, depth);
  };
  readers.set(desc, read);
  return read;
};

const compile = (desc: DescMessage): ReadValue => {
  if (desc.typeName === LIST_VALUE) return (json) => fromJson(desc, json as JsonValue, lenient);
  if (desc.typeName.startsWith('google.protobuf.')) return unusual;
  const setters = new Map<string, SetField>();
  for (const field of desc.fields) setters.set(field.name, unusual).set(field.jsonName, setterOf(field));
  return (json, depth) => {
    if (!isJsonMap(json) || depth > DEPTH_MAX) throw UNUSUAL;
    const message = create(desc) as unknown as Members;
    for (const key in json) setters.get(key)?.(message, json[key] as JsonData, depth);
    return message;
  };
};

const unusual = (): never => {
  throw UNUSUAL;
};

const setterOf = (field: DescField): SetField => {
  const read = valueReader(field);
  const { localName, oneof } = field;
  if (oneof === undefined)
    return (message, json, depth) => {
      message[localName] = read(json, depth);
    };
  const group = oneof.localName;
  return (message, json, depth) => {
    if ((message[group] as { readonly case?: string }).case !== undefined) throw UNUSUAL;
    message[group] = { case: localName, value: read(json, depth) };
  };
};

const valueReader = (field: DescField): ReadValue => {
  const read = elementReader(field);
  if (field.fieldKind === 'list') return listReader(read);
  if (field.fieldKind === 'map') return mapReader(read);
  return read;
};

const listReader =
  (read: ReadValue): ReadValue =>
  (json, depth) => {
    if (!Array.isArray(json)) throw UNUSUAL;
    return json.map((item: JsonData) => read(item, depth));
  };

const mapReader =
  (read: ReadValue): ReadValue =>
  (json, depth) => {
    if (!isJsonMap(json)) throw UNUSUAL;
    const found: Members = {};
    for (const key in json) {
      if (key === '__proto__') throw UNUSUAL;
      found[key] = read(json[key] as JsonData, depth);
    }
    return found;
  };

const elementReader = (field: DescField): ReadValue => {
  if (field.message !== undefined) {
    const read = readerOf(field.message);
    return (json, depth) => read(json, depth + 1);
  }
  return field.enum === undefined ? scalarReader(field.scalar) : enumReader(field.enum);
};

const enumReader = (desc: DescEnum): ReadValue => {
  const numbers = new Map(desc.values.map((value) => [value.name as JsonData, value.number]));
  return (json) => numbers.get(json) ?? unusual();
};

const scalarReader = (type: ScalarType | undefined): ReadValue => {
  switch (type) {
    case ScalarType.STRING:
      return (json) => (typeof json === 'string' && json.isWellFormed() ? json : unusual());
    case ScalarType.BOOL:
      return (json) => (typeof json === 'boolean' ? json : unusual());
    case ScalarType.INT32:
      return (json) => (typeof json === 'number' && (json | 0) === json ? json : unusual());
    case ScalarType.UINT32:
      return (json) => (typeof json === 'number' && json >>> 0 === json ? json : unusual());
    case ScalarType.INT64:
      return (json) => (typeof json === 'string' && INTEGER_TEXT.test(json) ? BigInt(json) : unusual());
    case ScalarType.UINT64:
      return (json) =>
        typeof json === 'string' && INTEGER_TEXT.test(json) && !json.startsWith('-') ? BigInt(json) : unusual();
    case ScalarType.DOUBLE:
      return (json) => (Number.isFinite(json) ? json : unusual());
    case ScalarType.FLOAT:
      return (json) => (typeof json === 'number' && Number.isFinite(Math.fround(json)) ? json : unusual());
    default:
      return unusual;
  }
};
