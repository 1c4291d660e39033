import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { randomElement, randomMessage } from '../../transport/testing/random-message.ts';
import { alwaysSet, keyWords, oneOf, specWords, type Variants, variants } from './spec-words.ts';

const ANY_KEY = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((key) => key !== '__proto__');

/** Absent once in five times. */
const OFTEN = { nil: {}, freq: 4 };

const isAlwaysSet = (field: DescField): boolean => alwaysSet.has(`${field.parent.name}.${field.localName}`);

const one = (field: DescField, depth: number): fc.Arbitrary<unknown> => {
  if (field.message !== undefined) return wordedMessage(field.message, depth - 1);
  const words = specWords[`${field.parent.name}.${field.localName}`];
  return words === undefined ? randomElement(field, 0) : fc.constantFrom(...words);
};

const fieldValue = (field: DescField, depth: number): fc.Arbitrary<unknown> => {
  const element = one(field, depth).filter((value) => value !== undefined);
  if (field.fieldKind === 'list') return fc.array(element, { maxLength: 3 });
  if (field.fieldKind !== 'map') return element;
  const keys = keyWords[`${field.parent.name}.${field.localName}`];
  return fc.dictionary(keys === undefined ? ANY_KEY : fc.constantFrom(...keys), element, { maxKeys: 3 });
};

/** Some of the fields, as a message may hold them. */
const partsOf = (fields: readonly DescField[], depth: number): fc.Arbitrary<readonly object[]> => {
  const set = (field: DescField) => fieldValue(field, depth).map((value) => ({ [field.localName]: value }));
  return fc.tuple(...fields.map((field) => (isAlwaysSet(field) ? set(field) : fc.option(set(field), OFTEN))));
};

/** Fields of a message, each of its variants with the fields that are its own. */
const variantParts = (fields: readonly DescField[], { by, of }: Variants, depth: number) => {
  const bound = new Set([by, ...Object.values(of).flat()]);
  const free = fields.filter(({ localName }) => !bound.has(localName));
  const forms = Object.entries(of).map(([value, names]) => {
    const own = fields.filter(({ localName }) => names.includes(localName));
    return partsOf([...free, ...own], depth).map((parts) => [...parts, { [by]: value }]);
  });
  return fc.oneof(...forms);
};

/** A message of a type whose fields hold words of `spec-words.ts`, or any value where that names none. */
export const wordedMessage = (desc: DescMessage, depth = 5): fc.Arbitrary<Message> => {
  if (desc.typeName.startsWith('google.protobuf.')) return randomMessage(desc, 1);
  const fields = desc.fields.filter((field) => depth > 0 || field.message === undefined);
  const forms = variants[desc.name];
  const alone = (field: DescField) => fieldValue(field, depth).map((value) => [{ [field.localName]: value }]);
  const parts: fc.Arbitrary<readonly object[]> = oneOf.has(desc.name)
    ? fc.oneof(...fields.map(alone))
    : forms === undefined
      ? partsOf(fields, depth)
      : variantParts(fields, forms, depth);
  return parts.map((chosen) => create(desc, Object.assign({}, ...chosen) as never));
};
