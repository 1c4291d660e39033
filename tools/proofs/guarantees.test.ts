import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources } from '../checks/source-files.ts';
import { documents, type Row, readRows } from './documents.ts';
import { ProofJudge } from './judge-proofs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rowsOf = (document: string): readonly Row[] => readRows(readFileSync(root + document, 'utf8'));
const upTo = (last: number, letter = ''): readonly string[] =>
  Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);

/** Numbers that no row names. */
const compare = (rows: readonly Row[], wanted: readonly string[]) => {
  const named = new Set(rows.flatMap(({ numbers }) => numbers));
  return wanted.filter((number) => !named.has(number));
};

/**
 * Promises of the contract that nothing proves, because what they are about is not built. A row that leaves this list has
 * got its proof; one that joins it is a promise taken back, which this list makes visible.
 */
const unproven: readonly string[] = [];

describe.each(documents)('%s', (document) => {
  const rows = rowsOf(document);

  it('names only tests that are declared, under exactly their titles', () => {
    const judge = new ProofJudge(loadSources(root));
    const proofs = rows.flatMap((row) => row.proofs);
    expect(proofs.length).toBeGreaterThan(150);
    expect(proofs.flatMap((proof) => judge.undeclared(proof) ?? [])).toEqual([]);
  });

  it('names a test in every row, or says why there is none', () => {
    expect(rows.filter(({ proofs, isOpen }) => proofs.length === 0 && !isOpen)).toEqual([]);
  });
});

describe('docs/proofs/guarantees.md', () => {
  const rows = rowsOf('docs/proofs/guarantees.md');

  it('has a row for every invariant of the runtime and the store and for every kind of crash', () => {
    expect(compare(rows, [...upTo(75, 'R'), ...upTo(29, 'K'), ...upTo(5, 'S')])).toEqual([]);
  });

  it('leaves without a proof only what is not built', () => {
    const found = rows.filter(({ proofs }) => proofs.length === 0).flatMap(({ numbers }) => numbers);
    expect(found).toEqual(unproven);
  });
});

describe('docs/proofs/obligations.md', () => {
  const rows = rowsOf('docs/proofs/obligations.md');

  it.each([
    ['Runtime, chapter 12', 81],
    ['Coordination, chapter 6', 56],
    ['Platform, chapter 18', 54],
  ] as const)('has a row for every test obligation of %s', (chapter, last) => {
    const own = rows.filter(({ section }) => section.startsWith(chapter));
    expect(compare(own, upTo(last))).toEqual([]);
  });

  it('has rows for every chapter of the interface', () => {
    const own = rows.filter(({ section }) => section.startsWith('API,'));
    const chapters = [
      ...['1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '2', '3', '4.1', '4.2', '5.1', '6', '7'],
      ...['8.1', '8.2', '8.3', '8.4', '8.5', '8.6', '8.7', '8.8', '9.1', '9.2', '9.4', '9.5'],
    ];
    expect(compare(own, chapters)).toEqual([]);
  });
});
