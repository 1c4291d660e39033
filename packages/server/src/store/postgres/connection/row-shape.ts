import { types } from 'pg';
import type { Message } from './message-reader.ts';
import { unescaped } from './text-escape.ts';

/** Type numbers of `pg_type`. */
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);
const TEXTS: ReadonlySet<number> = new Set([25, 1043]);
const MINUS = 0x2d;
const ZERO = 0x30;

interface Column {
  readonly name: string;
  /** Value from the bytes of its text. */
  readonly read: (bytes: Buffer, start: number, end: number) => unknown;
}

/** All integers of ours fit a number exactly (< 2^53); read without a text in between. */
const readInteger = (bytes: Buffer, start: number, end: number): number => {
  const isNegative = bytes[start] === MINUS;
  let value = 0;
  for (let at = isNegative ? start + 1 : start; at < end; at++) value = value * 10 + ((bytes[at] ?? ZERO) - ZERO);
  return isNegative ? -value : value;
};

/** Text without escapes. */
const readText = (bytes: Buffer, start: number, end: number): string =>
  start === end ? '' : unescaped(bytes.toString('utf8', start, end));

/** Integers as numbers, text without escapes; everything else as the driver reads it. */
const readerOf = (typeId: number): Column['read'] => {
  if (INTEGERS.has(typeId)) return readInteger;
  if (TEXTS.has(typeId)) return readText;
  const parse = types.getTypeParser(typeId, 'text') as (text: string) => unknown;
  return (bytes, start, end) => parse(bytes.toString('utf8', start, end));
};

/** The columns of what a statement answers. */
export class RowShape {
  /** Of a statement that answers no rows. */
  static readonly none = new RowShape([]);
  readonly #columns: readonly Column[];

  constructor(columns: readonly { readonly name: string; readonly typeId: number }[]) {
    this.#columns = columns.map(({ name, typeId }) => ({ name, read: readerOf(typeId) }));
  }

  /** The row of a DataRow message. */
  row({ bytes, start }: Message): unknown {
    const row: Record<string, unknown> = {};
    let at = start + 2;
    for (const { name, read } of this.#columns) {
      const size = bytes.readInt32BE(at);
      at += 4;
      row[name] = size === -1 ? null : read(bytes, at, at + size);
      at += Math.max(0, size);
    }
    return row;
  }
}
