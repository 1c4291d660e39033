import { expect, it } from 'vitest';
import {
  dropOwnership,
  fieldPointer,
  managedForm,
  managedParts,
  ownershipText,
  readOwnership,
  saveOwnership,
} from './index.ts';

const tableOf = () => {
  const values = new Map<string, string>();
  let writes = 0;
  return {
    instance: {
      value: async (name: string) => values.get(name),
      setValue: async (name: string, value: string) => {
        writes += 1;
        values.set(name, value);
      },
      removeValue: async (name: string) => void values.delete(name),
    },
    names: () => [...values.keys()],
    writes: () => writes,
  };
};

it('ownership is kept beside the resource and written only when it differs', async () => {
  const tx = tableOf();
  expect(await readOwnership(tx, 'uid')).toEqual({});
  await tx.instance.setValue('ownership/uid', '');
  expect(await readOwnership(tx, 'uid')).toEqual({});
  const after = { me: { '/spec/a': { said: 's', stored: 't' } } };
  await saveOwnership(tx, 'uid', { before: {}, after });
  await saveOwnership(tx, 'uid', { before: await readOwnership(tx, 'uid'), after });
  expect(ownershipText(await readOwnership(tx, 'uid'))).toBe(ownershipText(after));
  expect(tx.writes()).toBe(2);
});

it('nothing is kept of a resource that nobody owns a field of, or that goes', async () => {
  const tx = tableOf();
  const owned = { me: { '/spec/a': { said: 's', stored: 't' } } };
  await saveOwnership(tx, 'uid', { before: {}, after: owned });
  await saveOwnership(tx, 'uid', { before: owned, after: {} });
  expect(tx.names()).toEqual([]);
  for (const uid of ['uid', 'other']) await saveOwnership(tx, uid, { before: {}, after: owned });
  await dropOwnership(tx, 'uid');
  expect(tx.names()).toEqual(['ownership/other']);
});

it('what managers write of a resource can be put together and taken apart', () => {
  const metadata = { labels: { a: 'b', 'svc/~private': 'x' }, annotations: {} };
  const form = managedForm(metadata, { c: 1 });
  expect(managedParts(form)).toEqual({ labels: { a: 'b' }, annotations: {}, spec: { c: 1 } });
  expect(managedParts({})).toEqual({ labels: {}, annotations: {}, spec: {} });
  expect(managedParts({ metadata: {} })).toEqual({ labels: {}, annotations: {}, spec: {} });
});

it.each([
  ['spec.a.b[0].c', '/spec/a/b/0/c'],
  ['metadata.labels[a.b/c~d]', '/metadata/labels/a.b~1c~0d'],
  ['', ''],
])('the field %s stands at the pointer %s', (field, pointer) => {
  expect(fieldPointer(field)).toBe(pointer);
});
