import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';

/** A field of a message as it lies in its bytes. */
export interface WireField {
  /** Undefined for a field that the message does not know. */
  readonly field: DescField | undefined;
  /** Offset of the tag, of the value without its length, and of what follows. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Reads tags and lengths only. Bytes that are not messages end the walk; the decoder refuses them in its own words. */
class WireCursor {
  readonly #bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** A varint as a number, exact up to 2^53; NaN where the bytes end within it. */
  varint(): number {
    let value = 0;
    for (let factor = 1; this.at < this.end; factor *= 128) {
      const byte = this.#bytes[this.at] ?? 0;
      this.at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  }

  /** Skips the value behind a tag and answers where it begins, without its length; undefined for broken bytes. */
  skip(wireType: number): number | undefined {
    let start = this.at;
    if (wireType === WireType.Varint) this.varint();
    else if (wireType === WireType.Bit64) this.at += 8;
    else if (wireType === WireType.Bit32) this.at += 4;
    else if (wireType === WireType.LengthDelimited) {
      const length = this.varint();
      start = this.at;
      this.at += length;
    }
    // The marks of a group have no value of their own: what is between them is walked like the rest.
    return this.at <= this.end ? start : undefined;
  }
}

/** The fields of one message in the order of its bytes, nothing of what is inside of them. */
export function* wireFields(desc: DescMessage, bytes: Uint8Array): Generator<WireField> {
  const fields = fieldsOf(desc);
  const cursor = new WireCursor(bytes, 0, bytes.length);
  while (cursor.at < bytes.length) {
    const start = cursor.at;
    const tag = cursor.varint();
    const valueStart = cursor.skip(tag & 7);
    if (valueStart === undefined || Number.isNaN(tag)) return;
    yield { field: fields.get(Math.floor(tag / 8)), start, valueStart, end: cursor.at };
  }
}

/** Values in a message and everything below it; stops counting above `limit`. */
export const countElements = (desc: DescMessage, bytes: Uint8Array, limit: number): number =>
  countValues(fieldsOf(desc), bytes, limit);

/** Values in the message, or the entry of a map, that a field holds. */
export const countInField = (field: DescField, bytes: Uint8Array, limit: number): number =>
  countValues(innerFields(field) ?? new Map(), bytes, limit);

const countValues = (within: Fields, bytes: Uint8Array, limit: number): number => {
  const open: Span[] = [{ fields: within, from: 0, to: bytes.length }];
  let count = 0;
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const cursor = new WireCursor(bytes, span.from, span.to);
    while (cursor.at < span.to) {
      const tag = cursor.varint();
      const from = cursor.skip(tag & 7);
      if (from === undefined) break;
      const field = span.fields.get(Math.floor(tag / 8));
      count += isPacked(field) ? Math.max(1, cursor.at - from) : 1;
      if (count > limit) return count;
      const fields = cursor.at > from && (tag & 7) === WireType.LengthDelimited ? innerFields(field) : undefined;
      if (fields !== undefined) open.push({ fields, from, to: cursor.at });
    }
  }
  return count;
};

type Fields = ReadonlyMap<number, DescField>;

interface Span {
  readonly fields: Fields;
  readonly from: number;
  readonly to: number;
}

/** A list of numbers may lie in one field: its values are counted as one byte each. */
const isPacked = (field: DescField | undefined): boolean => field?.fieldKind === 'list' && field.packed;

const innerFields = (field: DescField | undefined): Fields | undefined => {
  if (field?.message === undefined) return undefined;
  return field.fieldKind === 'map' ? entryFields(field, field.message) : fieldsOf(field.message);
};

const entries = new WeakMap<DescField, Fields>();

/** Fields of an entry of a map of messages: the message is its field 2. */
const entryFields = (field: DescField, value: DescMessage): Fields => {
  const found = entries.get(field) ?? new Map([[2, { fieldKind: 'message', message: value } as DescField]]);
  entries.set(field, found);
  return found;
};

const known = new WeakMap<DescMessage, Fields>();

const fieldsOf = (desc: DescMessage): Fields => {
  const found = known.get(desc) ?? new Map(desc.fields.map((field) => [field.number, field]));
  known.set(desc, found);
  return found;
};
