import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  type Message,
  ScalarType,
  toJsonString,
} from '@bufbuild/protobuf';
import { joining, type Steps } from '../../base/index.ts';
import { doubleText, floatText, quote } from './json-text.ts';

type Loose = Record<string, unknown>;
type WriteValue = (value: unknown, cached: boolean) => string;
/** Text of a member `"name":value`, or '' when the member is left out. */
type WriteMember = (message: Loose, cached: boolean) => string;

/** Writes a message, or the initialiser of one, as JSON. */
export type EncodeJson = (message: object) => string;

/** As EncodeJson, in steps: the text of an answer that is written in one step, the bytes of a longer one. */
export type EncodeJsonInSteps = (message: object) => Steps<string | Buffer>;

/** Messages whose JSON the library writes. */
const LIBRARY_TYPES = 'google.protobuf.';

/** Characters of an answer that are written in one step. */
const STEP_CHARACTERS = 64 * 1024;

const base64 = (value: unknown): string => {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array();
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`;
};

const scalarWriters = new Map<ScalarType, WriteValue>([
  [ScalarType.STRING, (value) => quote(value as string)],
  [ScalarType.BOOL, (value) => (value === true ? 'true' : 'false')],
  [ScalarType.BYTES, base64],
  [ScalarType.FLOAT, (value) => floatText(value as number)],
  [ScalarType.DOUBLE, (value) => doubleText(value as number)],
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64].map(
    (type): [ScalarType, WriteValue] => [type, (value) => `"${String(value)}"`],
  ),
]);

const writeScalar = (type: ScalarType): WriteValue => scalarWriters.get(type) ?? ((value) => String(value));

/**
 * The same text in one piece: V8 joins what was concatenated once a character is asked for. A kept text is then copied whole into each
 * answer that contains it, not piece by piece again. The comparison never holds; without one the call would be optimised away.
 */
const flattened = (text: string): string => (text.charCodeAt(0) === 0 ? '' : text);

const zeroText = (field: DescField): string => {
  if (field.fieldKind === 'list') return '[]';
  if (field.fieldKind === 'map') return '{}';
  if (field.fieldKind === 'enum') return quote(field.enum.values[0]?.name ?? '');
  if (field.fieldKind !== 'scalar') return 'null';
  if (field.scalar === ScalarType.BOOL) return 'false';
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) return '""';
  return scalarWriters.has(field.scalar) && field.scalar !== ScalarType.FLOAT && field.scalar !== ScalarType.DOUBLE
    ? '"0"'
    : '0';
};

const writeEnum = (desc: DescEnum): WriteValue => {
  const names = new Map(desc.values.map((value) => [value.number, quote(value.name)]));
  return (value) => names.get(value as number) ?? String(value);
};

/**
 * Builds JSON text straight from messages, one compiled writer per message type. A frozen message is written once:
 * its text is kept as long as the message lives and is spliced into every answer or event that contains it.
 */
export class JsonEncoder {
  readonly #writers = new Map<string, WriteValue>();
  readonly #texts = new WeakMap<object, string>();

  /** The writer of a message type; compiled on first use. */
  encoderOf(desc: DescMessage): EncodeJson {
    const write = this.#writerOf(desc);
    return (message) => write(message, true);
  }

  /**
   * As `encoderOf`, in steps. A list of messages directly in the message is written some items at a time: what an answer of megabytes
   * consists of.
   */
  steppedEncoderOf(desc: DescMessage): EncodeJsonInSteps {
    const whole = this.encoderOf(desc);
    const isStepped = desc.fields.some(isMessageList) && !desc.typeName.startsWith(LIBRARY_TYPES);
    let rows: readonly SteppedRow[] | undefined;
    const rowOf = (member: DescField | DescOneof): SteppedRow => {
      if (member.kind === 'oneof') return { member: this.#oneof(member) };
      if (!isMessageList(member)) return { member: this.#field(member) };
      return { name: member.localName, key: `${quote(member.jsonName)}:`, item: this.#element(member) };
    };
    return function* (message) {
      if (!isStepped || Object.isFrozen(message)) return whole(message);
      rows ??= desc.members.map(rowOf);
      return yield* writingRows(rows, message as Loose);
    };
  }

  #writerOf(desc: DescMessage): WriteValue {
    const known = this.#writers.get(desc.typeName);
    if (known !== undefined) return known;
    let compiled: WriteValue | undefined;
    const write: WriteValue = (value, cached) => {
      compiled ??= this.#compile(desc);
      return compiled(value, cached);
    };
    this.#writers.set(desc.typeName, write);
    return write;
  }

  #compile(desc: DescMessage): WriteValue {
    if (desc.typeName.startsWith(LIBRARY_TYPES)) return (value) => toJsonString(desc, value as Message);
    const members = desc.members.map((member) => (member.kind === 'oneof' ? this.#oneof(member) : this.#field(member)));
    const texts = this.#texts;
    const build = (message: Loose, cached: boolean): string => {
      let out = '';
      for (let index = 0; index < members.length; index++) {
        const text = (members[index] as WriteMember)(message, cached);
        if (text !== '') out = out === '' ? `{${text}` : `${out},${text}`;
      }
      return out === '' ? '{}' : `${out}}`;
    };
    return (value, cached) => {
      const message = value as Loose;
      if (!cached) return build(message, false);
      const known = texts.get(message);
      if (known !== undefined) return known;
      const frozen = Object.isFrozen(message);
      const text = build(message, !frozen);
      if (frozen) texts.set(message, flattened(text));
      return text;
    };
  }

  #oneof(oneof: DescOneof): WriteMember {
    const name = oneof.localName;
    const cases = new Map(
      oneof.fields.map((field) => [field.localName, { key: `${quote(field.jsonName)}:`, write: this.#single(field) }]),
    );
    return (message, cached) => {
      const chosen = message[name] as { case?: string; value?: unknown } | undefined;
      const row = chosen?.case === undefined ? undefined : cases.get(chosen.case);
      return row === undefined ? '' : row.key + row.write(chosen?.value, cached);
    };
  }

  #field(field: DescField): WriteMember {
    const name = field.localName;
    const key = `${quote(field.jsonName)}:`;
    const write = this.#value(field);
    const unset = hasPresence(field) ? '' : key + zeroText(field);
    return (message, cached) => {
      const value = message[name];
      return value === undefined || value === null ? unset : key + write(value, cached);
    };
  }

  #value(field: DescField): WriteValue {
    if (field.fieldKind === 'list') return this.#list(field);
    if (field.fieldKind === 'map') return this.#map(field);
    return this.#single(field);
  }

  #single(field: DescField): WriteValue {
    if (field.fieldKind === 'message') return this.#writerOf(field.message);
    if (field.fieldKind === 'enum') return writeEnum(field.enum);
    if (field.fieldKind === 'scalar') return writeScalar(field.scalar);
    throw new Error(`${field.name}: no single value`);
  }

  #list(field: DescField & { fieldKind: 'list' }): WriteValue {
    const write = this.#element(field);
    return (value, cached) => {
      const items = value as readonly unknown[];
      let out = '';
      for (let index = 0; index < items.length; index++) out += (index === 0 ? '' : ',') + write(items[index], cached);
      return `[${out}]`;
    };
  }

  #map(field: DescField & { fieldKind: 'map' }): WriteValue {
    const write = this.#element(field);
    return (value, cached) => {
      const entries = value as Loose;
      let out = '';
      for (const key of Object.keys(entries))
        out += `${out === '' ? '' : ','}${quote(key)}:${write(entries[key], cached)}`;
      return `{${out}}`;
    };
  }

  #element(field: DescField & { fieldKind: 'list' | 'map' }): WriteValue {
    if (field.message !== undefined) return this.#writerOf(field.message);
    if (field.enum !== undefined) return writeEnum(field.enum);
    return writeScalar(field.scalar ?? ScalarType.STRING);
  }
}

type MessageList = DescField & { fieldKind: 'list'; listKind: 'message' };

const isMessageList = (field: DescField): field is MessageList =>
  field.fieldKind === 'list' && field.listKind === 'message';

/** A member of a message that is written whole, or a list of messages item by item. */
type SteppedRow =
  | { readonly member: WriteMember }
  | { readonly name: string; readonly key: string; readonly item: WriteValue };

function* writingRows(rows: readonly SteppedRow[], message: Loose): Steps<string | Buffer> {
  const out = new LongText();
  let separator = '{';
  for (const row of rows) {
    const member = 'member' in row ? row.member(message, true) : `${row.key}[`;
    if (member === '') continue;
    out.add(separator + member);
    separator = ',';
    if ('member' in row) continue;
    const items = (message[row.name] ?? []) as readonly unknown[];
    for (let index = 0; index < items.length; index++) {
      if (out.add((index === 0 ? '' : ',') + row.item(items[index], true))) yield;
    }
    out.add(']');
  }
  out.add(separator === '{' ? '{}' : '}');
  return yield* out.whole();
}

/** A text that becomes bytes as it grows. */
class LongText {
  readonly #written: Buffer[] = [];
  #text = '';

  /** True when a step's worth was written. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < STEP_CHARACTERS) return false;
    this.#written.push(Buffer.from(this.#text));
    this.#text = '';
    return true;
  }

  /** Text as long as it is short. */
  *whole(): Steps<string | Buffer> {
    if (this.#written.length === 0) return this.#text;
    return yield* joining([...this.#written, Buffer.from(this.#text)]);
  }
}

const EXPLICIT = 1;

/** Fields with presence are left out when unset; lists, maps and plain proto3 scalars are always written. */
const hasPresence = (field: DescField): boolean =>
  field.fieldKind === 'message' ||
  ((field.fieldKind === 'scalar' || field.fieldKind === 'enum') && field.presence === EXPLICIT);
