import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { DecodeReport, jsonInvalid } from './decode-report.ts';
import { jsonFaultPlace } from './json-fault-place.ts';
import { nestsDeeperThan } from './json-text.ts';
import { enumReader, HALF_CHARACTER, type ReadScalar, scalarReaders } from './scalar-reader.ts';

type Loose = Record<string, unknown>;
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

/** Other JSON names of a field: API-8.7 reads `server` and `mcpServer` for a binding's server_ref. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'svc.resources.McpServerBindingSpec': { server: 'server_ref', mcpServer: 'server_ref', mcp_server: 'server_ref' },
};

/** True for a further JSON name of one of the message's fields. */
export const isOtherName = (desc: DescMessage, name: string): boolean =>
  Object.hasOwn(otherNames[desc.typeName] ?? {}, name);

/** True for JSON objects; lists and null are values. */
export const isJsonObject = (json: unknown): json is Loose =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a JSON body; throws JSON_INVALID for bytes that are no UTF-8. */
export const utf8Text = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw jsonInvalid('body is not valid UTF-8');
  }
};

/** Name of a member inside `path`; map keys and list places use brackets. */
const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Reads JSON of API-3 Input into messages: strict about names and types, one compiled table per message type. */
export class JsonDecoder {
  readonly #readers = new Map<string, MessageReader>();
  readonly #depth: number;

  constructor(jsonDepth: number) {
    this.#depth = jsonDepth;
  }

  /** Parses a text; empty is `{}`. Throws JSON_INVALID for anything but one object within the depth limit. */
  parse(text: string): Record<string, unknown> {
    if (text === '') return {};
    if (text.length > this.#depth && nestsDeeperThan(text, this.#depth))
      throw jsonInvalid(`nested deeper than ${this.#depth}`);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      const { line, column } = jsonFaultPlace(text);
      throw jsonInvalid(`not valid JSON at line ${line}, column ${column}`);
    }
    if (!isJsonObject(json)) throw jsonInvalid('must be a JSON object');
    return json;
  }

  /** A message from a parsed object; throws INVALID_ARGUMENT naming every fault found. */
  decode(desc: DescMessage, json: Record<string, unknown>): Message {
    const report = new DecodeReport();
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

  /** As decode, adding to a report of the caller's; `at` is where the object stands. */
  read(
    desc: DescMessage,
    json: Record<string, unknown>,
    place: { readonly report: DecodeReport; readonly at: string },
  ): Message {
    const { report, at: path } = place;
    const reader = this.#readerOf(desc);
    const message = create(desc);
    const target = message as unknown as Loose;
    const seen = new Set<DescField>();
    for (const name of Object.keys(json)) {
      const value = json[name];
      const row = reader.fields.get(name);
      if (row === undefined) report.unknownField(below(path, name));
      else if (seen.has(row.field)) report.add(below(path, name), 'given twice in different spellings');
      else {
        seen.add(row.field);
        if (value !== null) this.#assign(target, row, { value, at: below(path, row.field.jsonName), report });
      }
    }
    return message;
  }

  #assign(target: Loose, row: FieldReader, given: { value: unknown; at: string; report: DecodeReport }): void {
    const value = row.read(given.value, given.at, given.report);
    if (value === undefined) return;
    const oneof = row.field.oneof;
    if (oneof === undefined) {
      target[row.field.localName] = value;
      return;
    }
    const present = target[oneof.localName] as { case?: string };
    if (present.case !== undefined) given.report.add(given.at, `only one member of ${oneof.name} may be set`);
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
    for (const [other, name] of Object.entries(otherNames[desc.typeName] ?? {})) {
      const row = fields.get(name);
      if (row !== undefined && !fields.has(other)) fields.set(other, row);
    }
    return reader;
  }

  #fieldReader(field: DescField): ReadValue {
    if (field.fieldKind === 'list') return this.#list(this.#element(field));
    if (field.fieldKind === 'map') return this.#map(this.#element(field));
    if (field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING && isJsonText(field)) return readJsonText;
    return this.#element(field);
  }

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
      return json.map((item, index) => element(item, `${path}[${index}]`, report));
    };
  }

  #map(element: ReadValue): ReadValue {
    return (json, path, report) => {
      if (!isJsonObject(json)) return report.add(path, 'must be an object');
      const entries: Loose = {};
      for (const key of Object.keys(json)) {
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

/** A `*_json` text may also be written as the object or array itself (API-3). */
const isJsonText = (field: DescField): boolean => field.name.endsWith('_json') || field.name === 'json';

const readJsonText: ReadValue = (json, path, report) => {
  if (typeof json === 'string') return json.isWellFormed() ? json : report.add(path, HALF_CHARACTER);
  if (typeof json === 'object') return JSON.stringify(json);
  return report.add(path, 'must be a string, an object or an array');
};

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
