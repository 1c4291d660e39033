import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { nestsDeeperThan, type Steps } from '../../base/index.ts';
import { DecodeReport, isJsonObject, jsonInvalid, otherJsonNames } from '../../operations/index.ts';
import { isJsonText } from './json-depth-guard.ts';
import { jsonFaultPlace } from './json-fault-place.ts';
import { checkJsonSize, type JsonBounds } from './json-size.ts';
import { enumReader, HALF_CHARACTER, type ReadScalar, scalarReaders } from './scalar-reader.ts';

type Loose = Record<string, unknown>;
type ReportOptions = NonNullable<ConstructorParameters<typeof DecodeReport>[0]>;
type ReadValue = (json: unknown, path: string, report: DecodeReport) => unknown;

interface FieldReader {
  readonly field: DescField;
  readonly read: ReadValue;
}

interface MessageReader {
  readonly desc: DescMessage;
  /** By every spelling that is accepted. */
  readonly fields: ReadonlyMap<string, FieldReader>;
}

interface Place {
  readonly report: DecodeReport;
  readonly at: string;
}

/** A place in a message that is read in steps. */
interface MeteredPlace extends Place {
  readonly meter: { messages: number };
}

/** An object that is being read, with the fields that it has set so far. */
interface Found {
  readonly json: Loose;
  readonly seen: Set<DescField>;
  readonly place: Place;
}

interface GivenField {
  readonly row: FieldReader;
  readonly value: unknown;
  readonly at: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a JSON body; throws JSON_INVALID for bytes that are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw jsonInvalid('body is not valid UTF-8');
  }
};

/** Name of a member inside `path`; map keys and list places use brackets. */
const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Messages that are read in one step. */
const MESSAGES_PER_STEP = 500;

const parsedObject = (text: string): Record<string, unknown> => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Where it is broken costs more to find than parsing did.
    if (text.length > PLACED_CHARACTERS) throw jsonInvalid('not valid JSON');
    const { line, column } = jsonFaultPlace(text);
    throw jsonInvalid(`not valid JSON at line ${line}, column ${column}`);
  }
  if (!isJsonObject(json)) throw jsonInvalid('must be a JSON object');
  return json;
};

/** Longest text in which the place of a fault is searched for. */
const PLACED_CHARACTERS = 512 * 1024;

/** Reads JSON into messages: strict about names and types, one compiled table per message type. */
export class JsonDecoder {
  readonly #readers = new Map<string, MessageReader>();
  readonly #bounds: JsonBounds;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Parses a text; empty is `{}`. Throws JSON_INVALID for anything but one object within the depth limit. */
  parse(text: string): Record<string, unknown> {
    if (text === '') return {};
    checkJsonSize(text, this.#bounds);
    return parsedObject(text);
  }

  /** As parse, in steps. */
  *parsing(text: string): Steps<Record<string, unknown>> {
    if (text === '') return {};
    checkJsonSize(text, this.#bounds);
    yield;
    const json = parsedObject(text);
    yield;
    return json;
  }

  /** A message from a parsed object; throws INVALID_ARGUMENT naming every fault found. */
  decode(desc: DescMessage, json: Record<string, unknown>, given: ReportOptions = {}): Message {
    const report = new DecodeReport(given);
    const message = this.read(desc, json, { report, at: '' });
    report.throwIfAny();
    return message;
  }

  decodeText(desc: DescMessage, text: string): Message {
    return this.decode(desc, this.parse(text));
  }

  /** As decodeText, from bytes that have to be UTF-8. */
  decodeBytes(desc: DescMessage, bytes: Uint8Array): Message {
    return this.decodeText(desc, utf8Text(bytes));
  }

  /** As decode, in steps of some hundred messages each. */
  *decoding(desc: DescMessage, json: Record<string, unknown>, given: ReportOptions = {}): Steps<Message> {
    const report = new DecodeReport(given);
    const message = yield* this.#reading(desc, json, { report, at: '', meter: { messages: 0 } });
    report.throwIfAny();
    return message;
  }

  /** As read, in steps. */
  *#reading(desc: DescMessage, json: Loose, place: MeteredPlace): Steps<Message> {
    place.meter.messages += 1;
    if (place.meter.messages % MESSAGES_PER_STEP === 0) yield;
    const reader = this.#readerOf(desc);
    const message = create(desc);
    const found = { json, seen: new Set<DescField>(), place };
    for (const name of Object.keys(json)) {
      if (place.report.isFull) break;
      const given = this.#given(reader, name, found);
      if (given === undefined) continue;
      const value = yield* this.#readingValue(given, place);
      this.#set(message, given, { value, report: place.report });
    }
    return message;
  }

  *#readingValue({ row, value, at }: GivenField, place: MeteredPlace): Steps<unknown> {
    const { field, read } = row;
    const { report } = place;
    const desc = field.message;
    if (desc === undefined || field.fieldKind === 'map' || desc.typeName.startsWith('google.'))
      return read(value, at, report);
    if (field.fieldKind !== 'list') {
      return isJsonObject(value) ? yield* this.#reading(desc, value, { ...place, at }) : read(value, at, report);
    }
    if (!Array.isArray(value)) return read(value, at, report);
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (report.isFull) break;
      const path = `${at}[${index}]`;
      if (isJsonObject(item)) items.push(yield* this.#reading(desc, item, { ...place, at: path }));
      else report.add(path, 'must be an object');
    }
    return items;
  }

  /** As decode, adding to a report of the caller's; `at` is where the object is. */
  read(desc: DescMessage, json: Record<string, unknown>, place: Place): Message {
    const reader = this.#readerOf(desc);
    const message = create(desc);
    const found = { json, seen: new Set<DescField>(), place };
    for (const name of Object.keys(json)) {
      if (place.report.isFull) break;
      const given = this.#given(reader, name, found);
      if (given === undefined) continue;
      const value = given.row.read(given.value, given.at, place.report);
      this.#set(message, given, { value, report: place.report });
    }
    return message;
  }

  /** The field that a member of an object sets; undefined where it is null, unknown or given twice, which is reported. */
  #given(reader: MessageReader, name: string, found: Found): GivenField | undefined {
    const { json, seen, place } = found;
    const row = reader.fields.get(name);
    if (row === undefined) return place.report.unknownField(below(place.at, name));
    if (seen.has(row.field)) return place.report.add(below(place.at, name), 'given twice in different spellings');
    seen.add(row.field);
    const value = json[name];
    return value === null ? undefined : { row, value, at: below(place.at, row.field.jsonName) };
  }

  #set(
    message: Message,
    { row, at }: GivenField,
    read: { readonly value: unknown; readonly report: DecodeReport },
  ): void {
    const { value, report } = read;
    if (value === undefined) return;
    const target = message as unknown as Loose;
    const oneof = row.field.oneof;
    if (oneof === undefined) {
      target[row.field.localName] = value;
      return;
    }
    const present = target[oneof.localName] as { case?: string };
    if (present.case !== undefined) report.add(at, `only one member of ${oneof.name} may be set`);
    target[oneof.localName] = { case: row.field.localName, value };
  }

  #readerOf(desc: DescMessage): MessageReader {
    const known = this.#readers.get(desc.typeName);
    if (known !== undefined) return known;
    const fields = new Map<string, FieldReader>();
    const reader = { desc, fields };
    this.#readers.set(desc.typeName, reader);
    for (const field of desc.fields) {
      const row = { field, read: this.#fieldReader(field) };
      fields.set(field.jsonName, row);
      fields.set(field.name, row);
    }
    for (const [other, name] of Object.entries(otherJsonNames(desc))) {
      const row = fields.get(name);
      if (row !== undefined && !fields.has(other)) fields.set(other, row);
    }
    return reader;
  }

  #fieldReader(field: DescField): ReadValue {
    if (field.fieldKind === 'list') return this.#list(this.#element(field));
    if (field.fieldKind === 'map') return this.#map(this.#element(field));
    if (field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING && isJsonText(field)) return this.#jsonText;
    return this.#element(field);
  }

  readonly #jsonText: ReadValue = (json, path, report) => {
    if (typeof json === 'object') return JSON.stringify(json);
    if (typeof json !== 'string') return report.add(path, 'must be a string, an object or an array');
    if (nestsDeeperThan(json, this.#bounds.depth)) return report.tooDeep(path, this.#bounds.depth);
    return json.isWellFormed() ? json : report.add(path, HALF_CHARACTER);
  };

  #element(field: DescField): ReadValue {
    if (field.message !== undefined) return this.#message(field.message);
    if (field.enum !== undefined) return scalar(enumReader(field.enum));
    return scalar(scalarReaders[field.scalar ?? ScalarType.STRING]);
  }

  #message(desc: DescMessage): ReadValue {
    if (desc.typeName === 'google.protobuf.FieldMask') return readFieldMask(desc);
    if (desc.typeName.startsWith('google.protobuf.')) return readWellKnown(desc);
    return (json, path, report) =>
      isJsonObject(json) ? this.read(desc, json, { report, at: path }) : report.add(path, 'must be an object');
  }

  #list(element: ReadValue): ReadValue {
    return (json, path, report) => {
      if (!Array.isArray(json)) return report.add(path, 'must be an array');
      const items: unknown[] = [];
      for (const [index, item] of json.entries()) {
        if (report.isFull) break;
        items.push(element(item, `${path}[${index}]`, report));
      }
      return items;
    };
  }

  #map(element: ReadValue): ReadValue {
    return (json, path, report) => {
      if (!isJsonObject(json)) return report.add(path, 'must be an object');
      const entries: Loose = {};
      for (const key of Object.keys(json)) {
        if (report.isFull) break;
        const at = `${path}[${JSON.stringify(key)}]`;
        if (!key.isWellFormed()) report.add(at, `key ${HALF_CHARACTER}`);
        const value = element(json[key], at, report);
        if (key === '__proto__')
          Object.defineProperty(entries, key, { value, enumerable: true, writable: true, configurable: true });
        else entries[key] = value;
      }
      return entries;
    };
  }
}

const scalar = (read: ReadScalar): ReadValue => {
  return (json, path, report) => {
    const result = read(json);
    return typeof result === 'string' ? report.add(path, result) : result.value;
  };
};

const snakeCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const readFieldMask = (desc: DescMessage): ReadValue => {
  return (json, path, report) => {
    const paths = Array.isArray(json) ? json : isJsonObject(json) ? json['paths'] : json;
    const list = typeof paths === 'string' ? paths.split(',') : paths;
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
      return report.add(path, 'must be a comma-joined string of paths');
    const named = list.map((item) => item.trim()).filter((item) => item !== '');
    return create(desc, { paths: named.map(snakeCase) });
  };
};

const readWellKnown = (desc: DescMessage): ReadValue => {
  return (json, path, report) => {
    try {
      return fromJson(desc, json as JsonValue);
    } catch {
      return report.add(path, `must be a ${desc.name} in JSON`);
    }
  };
};
