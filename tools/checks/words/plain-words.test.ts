import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { knownNames, knownTexts } from './known-words.ts';
import { brokenRules, findNameViolations, findWordViolations, strangeNames } from './plain-words.ts';
import { loadProse, proseOfPage, proseOfSource } from './prose.ts';

const { sources, pages } = loadProse(fileURLToPath(new URL('../../..', import.meta.url)));
const prose = [...sources.flatMap(proseOfSource), ...pages.flatMap(proseOfPage)];

const wordsOf = (path: string, text: string): readonly string[] =>
  proseOfSource({ path, text }).flatMap((line) => brokenRules(line).map(({ word }) => word));
const inPage = (path: string, text: string): readonly string[] =>
  proseOfPage({ path, text }).flatMap((line) => brokenRules(line).map(({ word }) => word));

describe('the prose of the checkout', () => {
  it('is found', () => {
    const kinds = new Map<string, number>();
    for (const { kind } of prose) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    expect(Math.min(kinds.get('comment') ?? 0, kinds.get('string') ?? 0, kinds.get('page') ?? 0)).toBeGreaterThan(
      1_000,
    );
  });

  it('uses plain words and cites no chapter of a document that readers do not have', () => {
    expect(findWordViolations(prose)).toEqual([]);
  });

  it('has names in code that say what they mean', () => {
    expect(findNameViolations(sources)).toEqual([]);
  });

  it('needs every exception that is listed', () => {
    const unused = knownTexts.filter(
      ({ path, word }) =>
        !prose.some((line) => line.path.startsWith(path) && brokenRules(line).some((rule) => rule.word === word)),
    );
    const names = new Set(sources.flatMap(strangeNames));
    expect([...unused, ...knownNames.flatMap((known) => known.names).filter((name) => !names.has(name))]).toEqual([]);
  });
});

describe('a word of the list', () => {
  const file = 'packages/server/src/auth/grants.ts';

  it.each([
    ['// Nobody reads it.', 'nobody'],
    ['/**\n * Told to\n * whoever asks.\n */', 'whoever'],
    ["throw new Error('the key is no address');", 'is no'],
    ['log.warn(`$' + '{name}: the turn goes on`);', 'go on'],
    ['// The name stands in the row.', 'stand'],
    ['// As RT-2.6 says.', 'chapter'],
    ['// See rules.md 5.', 'chapter'],
    ['// Runs again (K5).', 'chapter'],
    ['// By chapter 5.', 'chapter'],
    ['// The world around it.', 'world'],
    ['// The file is read anew.', 'anew'],
    ['// Laid over the defaults.', 'laid over'],
  ])('is found in %j', (text, word) => {
    expect(wordsOf(file, text)).toEqual([word]);
  });

  it.each([
    ['const nobody = 1;'],
    ["call('nobody');"],
    ['// There is no key; it is no longer used, and `a` stands for it.'],
    ['// K5 of docs/proofs/guarantees.md: asked once.'],
    ['const found = `$' + '{world.name} was found`;'],
  ])('is not seen in %j', (text) => {
    expect(wordsOf(file, text)).toEqual([]);
  });

  it('is looked for in comments of test code, but not in its strings, and fixtures may be worlds', () => {
    const text = "// A world with nobody in it.\nconst said = 'nobody reads it';";
    expect(wordsOf('packages/server/src/auth/testing/grants.ts', text)).toEqual(['nobody']);
  });

  it('is found in what a view shows', () => {
    const text = 'export const Empty = () => <p className="x">Nobody has {count} of them yet</p>;\n';
    expect(wordsOf('packages/console/src/ui/empty.tsx', text)).toEqual(['nobody']);
    expect(wordsOf('packages/console/src/ui/empty.ts', text)).toEqual([]);
  });

  it('is found in pages, but not in code, addresses and the titles of tests', () => {
    expect(inPage('docs/a.md', 'Nobody reads `beside` in [it](whoever.md).\n```\nnobody\n```')).toEqual(['nobody']);
    expect(inPage('docs/proofs/guarantees.md', '| R7 | Order | `a.test.ts`: *is seen by nobody (RT-2.6)* |')).toEqual(
      [],
    );
  });

  it('is found as a part of a name and of a file name', () => {
    expect(strangeNames({ path: 'a/lost-race.ts', text: 'const tokenWish = doorway(isSwallowed);' })).toEqual([
      'lost-race',
      'tokenWish',
    ]);
  });
});
