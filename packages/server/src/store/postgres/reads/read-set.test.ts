import { expect, it } from 'vitest';
import type { StoredResource } from '../../contracts/index.ts';
import { KnownRows, ReadSet, rowId } from './index.ts';

const KEY = ['Agent', 'default', '', 'a'];
const ID = rowId('resources', KEY);
const resource: StoredResource = {
  key: { kind: 'Agent', namespace: 'default', parent: '', name: 'a' },
  ...{ apiVersion: 'v1', uid: 'u', generation: 1, version: 7, createdAt: 1, updatedAt: 1 },
  ...{ labels: {}, annotations: {}, owners: [], finalizers: [], spec: '{}', status: '{}' },
};

it('a resource is taken from memory once two runs asked for it and found the same, however often each looked', () => {
  const known = new KnownRows();
  const run = (): ReadSet => new ReadSet(new Set(), known);
  /** As the handle reads: what the run knows, or else a copy from the database. */
  const read = (reads: ReadSet): void => reads.sawResource(ID, KEY, reads.resource(ID) ?? { ...resource });
  const first = run();
  for (let looks = 0; looks < 3; looks++) read(first);
  expect([first.resource(ID), run().resource(ID)]).toEqual([resource, undefined]);
  const second = run();
  read(second);
  expect(run().resource(ID)).toEqual(resource);
  second.wrote(ID, { ...resource, version: 8 });
  expect([second.resource(ID)?.version, run().resource(ID)]).toEqual([8, undefined]);
});
