import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', 'a"b\\c', '\u0000\n', 'ü\u2028'),
);
const small = { min: -(2 ** 31), max: 2 ** 31 - 1 };

const scalars: Partial<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: text,
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 12 }),
  [ScalarType.INT32]: fc.integer(small),
  [ScalarType.UINT32]: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  [ScalarType.INT64]: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  [ScalarType.UINT64]: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  // The library by which messages are compared says that NaN is not NaN.
  [ScalarType.FLOAT]: fc.float({ noNaN: true }),
  [ScalarType.DOUBLE]: fc.double({ noNaN: true }),
};

/** Any value of one field, of one item where it is repeated; messages nested at most `depth` deep. */
export const randomElement = (field: DescField, depth: number): fc.Arbitrary<unknown> => {
  if (field.message !== undefined) return randomMessage(field.message, depth - 1);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map((value) => value.number));
  return scalars[field.scalar ?? ScalarType.STRING] ?? fc.constant(undefined);
};

const fieldValue = (field: DescField, depth: number): fc.Arbitrary<unknown> => {
  const one = randomElement(field, depth);
  if (field.fieldKind === 'list') return fc.array(one, { maxLength: 3 });
  if (field.fieldKind === 'map')
    return fc.dictionary(
      fc.string({ maxLength: 6 }).filter((key) => key !== '__proto__'),
      one,
      { maxKeys: 3 },
    );
  return one;
};

const jsonValue = fc.oneof(
  fc.constant({ kind: { case: 'nullValue', value: 0 } }),
  fc.boolean().map((value) => ({ kind: { case: 'boolValue', value } })),
  text.map((value) => ({ kind: { case: 'stringValue', value } })),
  fc.integer().map((value) => ({ kind: { case: 'numberValue', value } })),
);

/** Any message of a type, nested at most `depth` deep; for round trips against the oracle. */
export const randomMessage = (desc: DescMessage, depth = 3): fc.Arbitrary<Message> => {
  if (desc.typeName === 'google.protobuf.ListValue') {
    return fc.array(jsonValue, { maxLength: 3 }).map((values) => create(desc, { values } as never));
  }
  if (desc.typeName === 'google.protobuf.FieldMask') {
    return fc
      .array(fc.constantFrom('spec', 'spec.system_prompt', 'labels'), { maxLength: 3 })
      .map((paths) => create(desc, { paths } as never));
  }
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const member of desc.members) {
    if (member.kind === 'oneof') {
      const cases = member.fields.filter((field) => depth > 0 || field.message === undefined);
      const none = fc.constant({ case: undefined });
      const set = cases.map((field) => randomElement(field, depth).map((value) => ({ case: field.localName, value })));
      members[member.localName] = fc.oneof(none, ...set);
    } else if (depth > 0 || member.message === undefined) {
      members[member.localName] = fc.option(fieldValue(member, depth), { nil: undefined });
    }
  }
  return fc.record(members, { requiredKeys: [] }).map((init) => create(desc, init as never));
};
