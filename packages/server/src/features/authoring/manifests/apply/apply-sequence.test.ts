import { create } from '@bufbuild/protobuf';
import { NamespaceSpecSchema, ResourceMetaSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { inOrder } from './apply-sequence.ts';
import type { InputDocument } from './manifest-input.ts';

const namespaces = (parents: readonly (readonly [name: string, parent: string])[]): readonly InputDocument[] =>
  parents.map(([name, parent], index) => ({
    index,
    kind: 'Namespace',
    namespace: '',
    name,
    errors: [],
    place: () => {
      throw new Error('no field is refused here');
    },
    resource: {
      key: { kind: 'Namespace', namespace: '', parent: '', name },
      apiVersion: 'svc/v1',
      row: undefined,
      metadata: create(ResourceMetaSchema),
      spec: create(NamespaceSpecSchema, { parent }),
      said: {},
    },
  }));
const orderOf = (parents: readonly (readonly [name: string, parent: string])[]): readonly string[] =>
  inOrder(namespaces(parents)).map(({ name }) => name);

it('namespaces come after their parents, by what they say or by their names', () => {
  expect(
    orderOf([
      ['c', 'b'],
      ['b', 'a'],
      ['a', ''],
      ['d', ''],
    ]),
  ).toEqual(['a', 'd', 'b', 'c']);
  expect(
    orderOf([
      ['a:b:c', ''],
      ['a:b', ''],
      ['a', ''],
    ]),
  ).toEqual(['a', 'a:b', 'a:b:c']);
});

it('namespaces whose parents go in a circle have an order too', () => {
  expect(
    [
      ...orderOf([
        ['a', 'b'],
        ['b', 'a'],
        ['c', 'a'],
      ]),
    ].sort(),
  ).toEqual(['a', 'b', 'c']);
});

it('a chain of 5,000 parents is in order from its end', () => {
  const order = orderOf(Array.from({ length: 5_000 }, (_, index) => [`n${index}`, `n${index + 1}`] as const));
  expect([order[0], order[1], order[4_999]]).toEqual(['n4999', 'n4998', 'n0']);
});
