import {
  type DescField,
  type DescMessage,
  type DescOneof,
  type Message,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { joining, type Steps } from '../../base/index.ts';
import { ByteWriter } from './byte-writer.ts';

type Loose = Record<string, unknown>;
type WriteValue = (value: unknown, out: ByteWriter, cached: boolean) => void;
type WriteMember = (message: Loose, out: ByteWriter, cached: boolean) => void;

/** Items of a list that are written in one step. */
const STEP_ITEMS = 100;
const VARINT = 0;
const LENGTH = 2;
const EXPLICIT = 1;

type ScalarCall = { readonly wire: number; readonly write: (value: unknown, out: ByteWriter) => void };

const raw = (bytes: Uint8Array, out: ByteWriter): void => out.bytes(bytes);
const rare = (wire: number, write: (writer: BinaryWriter, value: never) => BinaryWriter): ScalarCall => ({
  wire,
  write: (value, out) => raw(write(new BinaryWriter(), value as never).finish(), out),
});

const scalars: Readonly<Record<ScalarType, ScalarCall>> = {
  [ScalarType.STRING]: { wire: LENGTH, write: (value, out) => out.string(value as string) },
  [ScalarType.BYTES]: { wire: LENGTH, write: (value, out) => out.delimited(value as Uint8Array) },
  [ScalarType.BOOL]: { wire: VARINT, write: (value, out) => out.byte(value === true ? 1 : 0) },
  [ScalarType.INT32]: { wire: VARINT, write: (value, out) => out.int32(value as number) },
  [ScalarType.UINT32]: { wire: VARINT, write: (value, out) => out.varint(value as number) },
  [ScalarType.INT64]: { wire: VARINT, write: (value, out) => out.int64(value as bigint) },
  [ScalarType.UINT64]: { wire: VARINT, write: (value, out) => out.int64(value as bigint) },
  [ScalarType.FLOAT]: rare(5, (writer, value) => writer.float(value)),
  [ScalarType.DOUBLE]: rare(1, (writer, value) => writer.double(value)),
  [ScalarType.SINT32]: rare(VARINT, (writer, value) => writer.sint32(value)),
  [ScalarType.SINT64]: rare(VARINT, (writer, value) => writer.sint64(value)),
  [ScalarType.FIXED32]: rare(5, (writer, value) => writer.fixed32(value)),
  [ScalarType.FIXED64]: rare(1, (writer, value) => writer.fixed64(value)),
  [ScalarType.SFIXED32]: rare(5, (writer, value) => writer.sfixed32(value)),
  [ScalarType.SFIXED64]: rare(1, (writer, value) => writer.sfixed64(value)),
};

const isZero = (value: unknown): boolean =>
  value === '' ||
  value === false ||
  value === 0n ||
  (value === 0 && !Object.is(value, -0)) ||
  (value instanceof Uint8Array && value.length === 0);

/**
 * Protobuf binary with one compiled writer per message type. Bytes of a frozen message are kept as long as it lives
 * and are copied into every message that contains it. Writers accept initialisers as well as messages.
 */
export class BinaryEncoder {
  readonly #writers = new Map<string, WriteValue>();
  readonly #bytes = new WeakMap<object, Uint8Array>();
  readonly #scratch = new ByteWriter();

  /** Bytes of `message` after `prefix` unset bytes that the caller fills in (a frame header). The buffer is the caller's. */
  encode(desc: DescMessage, message: object, prefix = 0): Buffer {
    const out = this.#scratch;
    out.reset(prefix);
    this.#writerOf(desc)(message, out, true);
    return out.copy();
  }

  /**
   * As `encode`, in steps. Lists of messages directly in the message are written some items at a time behind the rest of it: fields
   * of a message may come in any order, and a list in several pieces.
   */
  *encoding(desc: DescMessage, message: object, prefix = 0): Steps<Buffer> {
    const loose = message as Loose;
    const lists = desc.fields
      .filter((field) => field.fieldKind === 'list' && field.listKind === 'message')
      .map(({ localName }) => [localName, (loose[localName] ?? []) as readonly unknown[]] as const);
    if (lists.every(([, items]) => items.length <= STEP_ITEMS)) return this.encode(desc, message, prefix);
    const rest = { ...loose, ...Object.fromEntries(lists.map(([name]) => [name, []])) };
    const written = [this.encode(desc, rest, prefix)];
    for (const [name, items] of lists)
      for (let start = 0; start < items.length; start += STEP_ITEMS) {
        yield;
        written.push(this.encode(desc, { [name]: items.slice(start, start + STEP_ITEMS) }));
      }
    return yield* joining(written);
  }

  #writerOf(desc: DescMessage): WriteValue {
    const known = this.#writers.get(desc.typeName);
    if (known !== undefined) return known;
    let compiled: WriteValue | undefined;
    const write: WriteValue = (value, out, cached) => {
      compiled ??= this.#compile(desc);
      compiled(value, out, cached);
    };
    this.#writers.set(desc.typeName, write);
    return write;
  }

  #compile(desc: DescMessage): WriteValue {
    if (desc.typeName.startsWith('google.protobuf.')) return (value, out) => raw(toBinary(desc, value as Message), out);
    const members = desc.members.map((member) => (member.kind === 'oneof' ? this.#oneof(member) : this.#field(member)));
    const build = (message: Loose, out: ByteWriter, cached: boolean): void => {
      for (let index = 0; index < members.length; index++) (members[index] as WriteMember)(message, out, cached);
    };
    return (value, out, cached) => {
      const message = value as Loose;
      if (!cached) return build(message, out, false);
      const known = this.#bytes.get(message);
      if (known !== undefined) return out.bytes(known);
      const frozen = Object.isFrozen(message);
      const start = out.length;
      build(message, out, !frozen);
      if (frozen) this.#bytes.set(message, out.slice(start));
    };
  }

  #oneof(oneof: DescOneof): WriteMember {
    const name = oneof.localName;
    const cases = new Map(oneof.fields.map((field) => [field.localName, this.#single(field)]));
    return (message, out, cached) => {
      const chosen = message[name] as { case?: string; value?: unknown } | undefined;
      const write = chosen?.case === undefined ? undefined : cases.get(chosen.case);
      write?.(chosen?.value, out, cached);
    };
  }

  #field(field: DescField): WriteMember {
    const name = field.localName;
    const write =
      field.fieldKind === 'list'
        ? this.#list(field)
        : field.fieldKind === 'map'
          ? this.#map(field)
          : this.#single(field);
    const skipsZero = (field.fieldKind === 'scalar' || field.fieldKind === 'enum') && field.presence !== EXPLICIT;
    return (message, out, cached) => {
      const value = message[name];
      if (value === undefined || value === null || (skipsZero && isZero(value))) return;
      write(value, out, cached);
    };
  }

  /** Writes tag and value of one occurrence. */
  #single(field: DescField): WriteValue {
    if (field.message !== undefined) return this.#message(field.number, field.message);
    const { wire, write } = scalars[field.enum === undefined ? (field.scalar ?? ScalarType.STRING) : ScalarType.INT32];
    const tag = ((field.number << 3) | wire) >>> 0;
    return (value, out) => {
      out.varint(tag);
      write(value, out);
    };
  }

  #message(number: number, desc: DescMessage): WriteValue {
    const tag = ((number << 3) | LENGTH) >>> 0;
    const write = this.#writerOf(desc);
    return (value, out, cached) => {
      out.varint(tag);
      const start = out.open();
      write(value, out, cached);
      out.close(start);
    };
  }

  #list(field: DescField & { fieldKind: 'list' }): WriteValue {
    if (!field.packed) {
      const write = this.#single(field);
      return (value, out, cached) => {
        for (const item of value as readonly unknown[]) write(item, out, cached);
      };
    }
    const { write } = scalars[field.enum === undefined ? (field.scalar ?? ScalarType.STRING) : ScalarType.INT32];
    const tag = ((field.number << 3) | LENGTH) >>> 0;
    return (value, out) => {
      const items = value as readonly unknown[];
      if (items.length === 0) return;
      out.varint(tag);
      const start = out.open();
      for (const item of items) write(item, out);
      out.close(start);
    };
  }

  #map(field: DescField & { fieldKind: 'map' }): WriteValue {
    const tag = ((field.number << 3) | LENGTH) >>> 0;
    if (field.mapKey !== ScalarType.STRING) throw new Error(`${field.name}: only maps with text keys are supported`);
    const value =
      field.message === undefined
        ? scalars[field.enum === undefined ? (field.scalar ?? ScalarType.STRING) : ScalarType.INT32]
        : { wire: LENGTH, write: undefined };
    const nested = field.message === undefined ? undefined : this.#message(2, field.message);
    const valueTag = (2 << 3) | value.wire;
    return (entries, out, cached) => {
      for (const [key, item] of Object.entries(entries as Loose)) {
        out.varint(tag);
        const start = out.open();
        out.byte(0x0a);
        out.string(key);
        if (nested !== undefined) nested(item, out, cached);
        else {
          out.byte(valueTag);
          value.write?.(item, out);
        }
        out.close(start);
      }
    };
  }
}
