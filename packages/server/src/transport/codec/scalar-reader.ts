import { type DescEnum, ScalarType } from '@bufbuild/protobuf';

/** Reads one scalar of the JSON mapping; a string result is what is wrong with it. */
export type ReadScalar = (json: unknown) => { readonly value: unknown } | string;

/** What is wrong with text that no UTF-8 can hold. */
export const HALF_CHARACTER = 'holds half a character';

const ok = (value: unknown): { readonly value: unknown } => ({ value });
const integerText = /^-?(0|[1-9][0-9]*)$/;
const numberText = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** Longest text of an integer of 64 bits; reading millions of digits exactly would take seconds. */
const LONGEST_INTEGER = 20;

const range32 = (least: number, most: number): ReadScalar => {
  return (json) => {
    const value = typeof json === 'string' && integerText.test(json) ? Number(json) : json;
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be an integer';
    if (value < least || value > most) return `must be between ${least} and ${most}`;
    return ok(value === 0 ? 0 : value);
  };
};

const range64 = (least: bigint, most: bigint): ReadScalar => {
  const outside = `must be between ${least} and ${most}`;
  return (json) => {
    if (typeof json === 'number') {
      if (!Number.isInteger(json)) return 'must be an integer';
      if (!Number.isSafeInteger(json)) return 'must be written as a string: a JSON number this large is not exact';
    } else if (typeof json !== 'string' || !integerText.test(json)) return 'must be an integer';
    else if (json.length > LONGEST_INTEGER) return outside;
    const value = BigInt(json);
    return value < least || value > most ? outside : ok(value);
  };
};

const words: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

const readNumber = (json: unknown): number | undefined => {
  if (typeof json === 'number') return json;
  if (typeof json !== 'string') return undefined;
  return numberText.test(json) ? Number(json) : words[json];
};

const readDouble: ReadScalar = (json) => {
  const value = readNumber(json);
  if (value === undefined || (typeof json === 'string' && !(json in words) && !Number.isFinite(value)))
    return 'must be a number';
  return ok(value);
};

const readFloat: ReadScalar = (json) => {
  const double = readDouble(json);
  if (typeof double === 'string') return double;
  const single = Math.fround(double.value as number);
  return Number.isFinite(double.value as number) && !Number.isFinite(single) ? 'is out of range' : ok(single);
};

const readBytes: ReadScalar = (json) => {
  if (typeof json !== 'string' || !base64Text.test(json)) return 'must be base64';
  const bare = json.replace(/=+$/, '');
  if (bare.length % 4 === 1) return 'must be base64';
  return ok(new Uint8Array(Buffer.from(bare, 'base64')));
};

/** Text that holds half a character (a lone surrogate) has no UTF-8: no other encoding of the message could carry it. */
const readText: ReadScalar = (json) => {
  if (typeof json !== 'string') return 'must be a string';
  return json.isWellFormed() ? ok(json) : HALF_CHARACTER;
};

const int32 = range32(-0x8000_0000, 0x7fff_ffff);
const uint32 = range32(0, 0xffff_ffff);
const int64 = range64(-(2n ** 63n), 2n ** 63n - 1n);
const uint64 = range64(0n, 2n ** 64n - 1n);

/** Readers by type; an answer that is a text says what is wrong. */
export const scalarReaders: Readonly<Record<ScalarType, ReadScalar>> = {
  [ScalarType.STRING]: readText,
  [ScalarType.BOOL]: (json) => (typeof json === 'boolean' ? ok(json) : 'must be true or false'),
  [ScalarType.BYTES]: readBytes,
  [ScalarType.FLOAT]: readFloat,
  [ScalarType.DOUBLE]: readDouble,
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};

/** Longest start, up to an underscore, that all value names share: `TURN_STATE_`, `ROLE_`. */
const sharedStart = (names: readonly string[]): string => {
  const [first = '', ...others] = names;
  for (let cut = first.lastIndexOf('_'); cut > 0; cut = first.lastIndexOf('_', cut - 1)) {
    const start = first.slice(0, cut + 1);
    if (others.every((name) => name.startsWith(start))) return start;
  }
  return '';
};

const plain = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/** An enum by full name, by name without the shared prefix (any case, `-` as `_`), or by number. */
export const enumReader = (desc: DescEnum): ReadScalar => {
  const prefix = sharedStart(desc.values.map((value) => value.name));
  const numbers = new Map<string, number>();
  for (const { name, number } of desc.values) {
    numbers.set(plain(name.slice(prefix.length)), number);
    numbers.set(name, number);
  }
  return (json) => {
    if (typeof json === 'string' && !/^-?[0-9]+$/.test(json)) {
      const number = numbers.get(json) ?? numbers.get(plain(json));
      return number === undefined ? `must be one of ${desc.values.map((value) => value.name).join(', ')}` : ok(number);
    }
    return int32(json);
  };
};
