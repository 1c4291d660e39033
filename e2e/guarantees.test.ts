import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = readFileSync(`${root}docs/guarantees.md`, 'utf8');
const rows = document.split('\n').filter((line) => /^\| (?!---|No\.|Chapter)/.test(line));
const proofs = [...document.matchAll(/`([\w./-]+\.ts)`: \*([^*]+)\*/g)].map(([, file = '', title = '']) => ({
  file,
  title,
}));
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
