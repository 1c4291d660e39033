import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../connection.ts';
import { makeTestStore } from '../../testing/test-store.ts';
import { weighedChunks } from './word-search.ts';

/** Texts by the number of their chunk, from 1; `every` is in all of them. */
const TEXTS = ['every red', 'every red green', 'every blue', 'every green', 'every', 'every red green rare'];

let connection: Connection;

beforeEach(async () => {
  const made = await makeTestStore({ durability: 'off' });
  onTestFinished(made.dispose);
  await made.store.write(async (tx) => {
    for (const [index, text] of TEXTS.entries())
      await tx.search.index({
        source: `s${index}`,
        kind: 'Knowledge',
        namespace: 'n',
        name: `d${index}`,
        path: `d${index}`,
        updatedAt: 1,
        pathWords: index === 4 ? 'every path' : 'p',
        chunks: [{ heading: index === 2 ? 'every heading' : '', text, words: text }],
      });
  });
  connection = new Connection(join(made.dataDir, 'svc.db'), { isSynced: false, isReader: true });
  onTestFinished(() => connection.close());
});

/** Chunks group by group; each may be in several. */
const groups = (terms: readonly string[], limits: { readonly weighed: number; readonly common: number }) => {
  const found = [...weighedChunks(connection, { terms, namespaces: ['n', 'other'] }, limits)];
  const scores = found.flatMap((group) => group.map(({ score }) => score));
  expect(scores).toEqual([...scores].sort((left, right) => right - left));
  return found.map((group) => group.map(({ chunk }) => chunk));
};

it('weighs all chunks at once while they are few', () => {
  expect(groups(['red', 'rare'], { weighed: 10, common: 10 }).map((group) => group.toSorted())).toEqual([[1, 2, 6]]);
  expect(groups(['absent'], { weighed: 10, common: 10 })).toEqual([]);
});

it('weighs those first that hold every word where more hold any, and of each the newest', () => {
  const [both = [], any = []] = groups(['red', 'green'], { weighed: 2, common: 10 });
  expect(both.toSorted()).toEqual([2, 6]);
  expect(any.toSorted()).toEqual([4, 6]);
});

it('finds chunks by common words only behind those with rarer ones: first in paths, then in headings, then anywhere', () => {
  const [first, ...others] = groups(['every', 'rare'], { weighed: 10, common: 3 });
  expect(first).toEqual([6]);
  expect(others).toEqual([[5], [3], [6, 5, 4, 3, 2, 1]]);
});

it('puts chunks with all of the common words before those with any', () => {
  const found = groups(['every', 'red'], { weighed: 10, common: 2 });
  expect(found).toEqual([[], [], [6, 2, 1], [5], [3], [6, 5, 4, 3, 2, 1]]);
});
