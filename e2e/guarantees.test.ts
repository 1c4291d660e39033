import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Proof {
  readonly file: string;
  readonly title: string;
}

/** Rows and named tests of a document of tables. */
const read = (name: string): { readonly rows: readonly string[]; readonly proofs: readonly Proof[] } => {
  const text = readFileSync(`${root}docs/${name}`, 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.ts)`: \*([^*]+)\*/g)];
  return {
    rows: text.split('\n').filter((line) => /^\| (?!---|No\.|Chapter)/.test(line)),
    proofs: named.map(([, file = '', title = '']) => ({ file, title })),
  };
};
const { rows, proofs } = read('guarantees.md');
/** Rows on delegation, harnesses and sandboxes, which are not built yet. */
const later = ['K25', 'K26', 'K27'];

const titlesOf = (file: string): string => {
  const path = root + file;
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll("\\'", "'") : '';
};

describe('docs/guarantees.md', () => {
  it('names only tests that exist', () => {
    expect(proofs.length).toBeGreaterThan(150);
    expect(proofs.filter(({ file, title }) => !titlesOf(file).includes(title))).toEqual([]);
  });

  it('proves every promise it makes', () => {
    expect(rows.filter((row) => !/`[\w./-]+\.ts`: \*/.test(row))).toEqual([]);
  });

  it('has a row for every invariant of turns, messages and tools and for every row of the crash table', () => {
    const numbered = (letter: string, last: number) =>
      Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
    const first = rows.flatMap(
      (row) =>
        row
          .split('|')[1]
          ?.split(',')
          .map((name) => name.trim()) ?? [],
    );
    const missing = [...numbered('R', 46), ...numbered('K', 29), ...numbered('S', 5)].filter(
      (name) => !first.includes(name),
    );
    expect(missing).toEqual(later);
  });
});

describe('docs/obligations.md', () => {
  const obligations = read('obligations.md');

  it('names only tests that exist', () => {
    expect(obligations.proofs.length).toBeGreaterThan(300);
    expect(obligations.proofs.filter(({ file, title }) => !titlesOf(file).includes(title))).toEqual([]);
  });

  it('names a test for every row or says why there is none', () => {
    expect(obligations.rows.filter((row) => !/`: \*|\*\*open\*\*: \w/.test(row))).toEqual([]);
  });

  it('has a row for each obligation of the runtime up to 59', () => {
    const missing = Array.from({ length: 59 }, (_, index) => `| ${index + 1} |`).filter(
      (start) => !obligations.rows.some((row) => row.startsWith(start)),
    );
    expect(missing).toEqual([]);
  });
});
