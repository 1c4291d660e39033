import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { Random } from '../../base/index.ts';

/** A field deep in a message and a value that it cannot hold, as JSON around it. */
export interface WrongValue {
  /** By JSON names from the top, such as `spec.steps[0].retry.multiplier`; places in lists are 0. */
  readonly path: string;
  /** The object to lay over a good one. */
  readonly json: Readonly<Record<string, unknown>>;
}

const INTEGERS: readonly unknown[] = ['x', 1.5, true, [], {}, 2 ** 33, '9'.repeat(30), -(2 ** 33)];

const scalarFaults = (type: ScalarType): readonly unknown[] => {
  switch (type) {
    case ScalarType.STRING:
      return [[], {}, { a: 1 }, 5, true, 'half a \ud83d'];
    case ScalarType.BOOL:
      return ['yes', 5, [], {}];
    case ScalarType.BYTES:
      return ['*', 5, {}];
    case ScalarType.UINT32:
      return [...INTEGERS, -1];
    case ScalarType.INT32:
      return INTEGERS;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return ['x', 1.5, true, [], {}, '9'.repeat(30), -1];
    case ScalarType.INT64:
      return ['x', 1.5, true, [], {}, '9'.repeat(30)];
    case ScalarType.FLOAT:
      return ['x', true, [], {}, 1e60];
    default:
      return ['x', true, [], {}];
  }
};

/** Values that one item of the field cannot be. */
const itemFaults = (field: DescField): readonly unknown[] => {
  if (field.enum !== undefined) return ['nonsense', 1.5, {}, [], true];
  if (field.message?.typeName === 'google.protobuf.ListValue') return [5, {}, 'x'];
  if (field.message?.name === 'ResourceRef') return [5, true, []];
  if (field.message !== undefined) return [5, 'x', true, []];
  return scalarFaults(field.scalar ?? ScalarType.STRING);
};

const isWellKnown = (desc: DescMessage): boolean => desc.typeName.startsWith('google.');
const holdsAnyJson = (field: DescField): boolean =>
  field.scalar === ScalarType.STRING && (field.name.endsWith('_json') || field.name === 'json');

interface Place {
  readonly path: string;
  readonly wrap: (value: unknown) => Readonly<Record<string, unknown>>;
}

const below = (at: Place, field: DescField): Place => ({
  path: at.path === '' ? field.jsonName : `${at.path}.${field.jsonName}`,
  wrap: (value) => at.wrap({ [field.jsonName]: value }),
});

const inList = (at: Place): Place => ({ path: `${at.path}[0]`, wrap: (value) => at.wrap([value]) });

/** Fields of one message and of those inside it, with all they cannot hold. */
const faultsOf = (desc: DescMessage, at: Place, depth: number): readonly WrongValue[] =>
  desc.fields.flatMap((field) => {
    if (holdsAnyJson(field)) return [];
    const here = below(at, field);
    const values = (place: Place, list: readonly unknown[]): readonly WrongValue[] =>
      list.map((value) => ({ path: place.path, json: place.wrap(value) }));
    const inner = (place: Place): readonly WrongValue[] =>
      field.message === undefined || isWellKnown(field.message) || depth === 0
        ? []
        : [
            ...faultsOf(field.message, place, depth - 1),
            { path: `${place.path}.nonsense`, json: place.wrap({ nonsense: 1 }) },
          ];
    if (field.fieldKind === 'map') return values(here, [5, 'x', []]);
    if (field.fieldKind === 'list') {
      const first = inList(here);
      return [...values(here, [5, 'x', {}]), ...values(first, itemFaults(field)), ...inner(first)];
    }
    return [...values(here, itemFaults(field)), ...inner(here)];
  });

/** Every field of a message, up to five deep, with each value it cannot hold; `top` is the member that holds the message. */
export const wrongValues = (desc: DescMessage, top = ''): readonly WrongValue[] => {
  const at: Place =
    top === ''
      ? { path: '', wrap: (value) => value as Readonly<Record<string, unknown>> }
      : { path: top, wrap: (value) => ({ [top]: value }) };
  const unknown = { path: top === '' ? 'nonsense' : `${top}.nonsense`, json: at.wrap({ nonsense: 1 }) };
  return [...faultsOf(desc, at, 5), unknown];
};

/** Bytes that no reading of protobuf accepts, whatever the message; field 1000 is a field of none. */
export const brokenBytes: readonly Uint8Array[] = [
  Uint8Array.of(0xc2, 0x3e), // a length is missing
  Uint8Array.of(0xc2, 0x3e, 0x05, 0x61), // shorter than its length
  Uint8Array.of(0xc2, 0x3e, 0xff, 0xff, 0xff, 0xff, 0x0f), // a length of 4 GiB
  Uint8Array.of(0xc5, 0x3e, 0x01), // four bytes announced, one there
  Uint8Array.of(0xc0, 0x3e, ...Array.from({ length: 11 }, () => 0xff)), // a number that never ends
  Uint8Array.of(0xc3, 0x3e, 0x08), // a group that never ends
  Uint8Array.of(0x00, 0x01), // field number 0
  Uint8Array.of(0x0e, 0x01), // wire type 6
  Uint8Array.of(0x0f, 0x01), // wire type 7
  Uint8Array.of(0x0c), // the end of a group that never began
];

const GOOD = '{"name":"x","spec":{"systemPrompt":"Be brief."}}';
const BROKEN = [
  '{',
  '}',
  '[]',
  '"x"',
  'null',
  '5',
  '{"a":}',
  '{"a" 1}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}}',
  '\u0000',
  '{a:1}',
];

/** Texts that are not JSON objects: broken, cut, nested too deep. */
export const brokenTexts = (random: Random, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) return BROKEN[Math.floor(random.next() * BROKEN.length)] ?? '{';
    if (index % 3 === 1) return GOOD.slice(0, 1 + Math.floor(random.next() * (GOOD.length - 1)));
    const depth = 101 + Math.floor(random.next() * 300);
    return `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  });
