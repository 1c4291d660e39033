import { type DescEnum, ScalarType } from '@bufbuild/protobuf';
import type { JsonData } from '../canonical-json.ts';
import type { ScalarNode } from './manifest-node.ts';

/** JSON form of a scalar, or the error in it. */
export type ScalarResult = { readonly json: JsonData } | { readonly fault: string };

type Read = (value: ScalarNode['value']) => ScalarResult;

const INTEGER = /^-?(?:0|[1-9][0-9]{0,19})$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const FLOAT_MAX = 3.4028234663852886e38;

const integer = (least: bigint, most: bigint): Read => {
  const isWide = most > 0xffff_ffffn;
  return (value) => {
    const exact = exactInteger(value);
    if (exact === undefined) return { fault: 'must be an integer' };
    if (exact < least || exact > most) return { fault: `must be between ${least} and ${most}` };
    return { json: isWide ? String(exact) : Number(exact) };
  };
};

const exactInteger = (value: ScalarNode['value']): bigint | undefined => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : undefined;
};

const float =
  (most: number): Read =>
  (value) => {
    const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
    if (typeof number !== 'number' && typeof number !== 'bigint') return { fault: 'must be a number' };
    const plain = Number(number);
    if (Math.abs(plain) > most) return { fault: 'is out of range' };
    return Number.isNaN(plain) ? { fault: 'must be a number' } : { json: plain };
  };

const text: Read = (value) => {
  if (typeof value !== 'string') return { fault: 'must be text (put it in quotes)' };
  return value.isWellFormed() ? { json: value } : { fault: 'holds half a character' };
};

const bytes: Read = (value) =>
  typeof value === 'string' && BASE64.test(value) ? { json: value } : { fault: 'must be base64' };

const truth: Read = (value) => (typeof value === 'boolean' ? { json: value } : { fault: 'must be true or false' });

const int32 = integer(-0x8000_0000n, 0x7fff_ffffn);
const uint32 = integer(0n, 0xffff_ffffn);
const int64 = integer(-(2n ** 63n), 2n ** 63n - 1n);
const uint64 = integer(0n, 2n ** 64n - 1n);

/** Readers by type; integers of 64 bits are text in JSON. */
export const scalarReaders: Readonly<Record<ScalarType, Read>> = {
  [ScalarType.STRING]: text,
  [ScalarType.BOOL]: truth,
  [ScalarType.BYTES]: bytes,
  [ScalarType.FLOAT]: float(FLOAT_MAX),
  [ScalarType.DOUBLE]: float(Number.MAX_VALUE),
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

const plain = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/** An enum by short name (any case, `-` or `_`), full name or number, as its full name. */
export const readEnum = (desc: DescEnum, value: ScalarNode['value']): ScalarResult => {
  const prefix = desc.sharedPrefix?.toUpperCase() ?? '';
  const number = exactInteger(value);
  const wanted = typeof value === 'string' ? plain(value) : '';
  const found = desc.values.find((candidate) =>
    number === undefined
      ? candidate.name === wanted || candidate.name === `${prefix}${wanted}`
      : BigInt(candidate.number) === number,
  );
  if (found !== undefined) return { json: found.name };
  const names = desc.values.map((candidate) => candidate.name.slice(prefix.length).toLowerCase());
  return { fault: `must be one of ${names.join(', ')}` };
};
