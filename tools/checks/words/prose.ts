import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskCode } from '../mask-code.ts';
import { isGenerated, isTestCode, type SourceFile } from '../source-files.ts';

/** One line that people read: of a comment, of a text in code such as an error, or of a page. */
export interface ProseLine {
  readonly path: string;
  readonly line: number;
  readonly kind: 'comment' | 'string' | 'page';
  readonly text: string;
}

const sourceGlobs = ['packages/*/{src,bin}/**/*.{ts,tsx,mjs}', '{e2e,bench,tools}/**/*.{ts,tsx,mjs}'];
const pageGlobs = ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/README.md'];
/** Pages made from the comments of `proto/`, which is a published contract. */
const generatedPage = /^docs\/reference\/(?!README)/;
/** Rows of the tables of proofs cite titles of tests word by word. */
const citedTitle = /: \*[^|]*?\*(?=<br>| \|)/g;
/** The lists quote the words. */
const listFolder = 'tools/checks/words/';
const notProse = /`[^`]*`|\]\([^)]*\)/g;

/** Hand-written sources and pages of the checkout; tests of the `*.test.ts` kind are left out, as pages cite their titles. */
export function loadProse(root: string): {
  readonly sources: readonly SourceFile[];
  readonly pages: readonly SourceFile[];
} {
  const load = (globs: readonly string[]): SourceFile[] =>
    globSync(globs, { cwd: root, exclude: (path) => path === 'node_modules' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter(
        (path) =>
          !isGenerated(path) &&
          !generatedPage.test(path) &&
          !/\.test\.tsx?$/.test(path) &&
          !path.startsWith(listFolder),
      )
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  return { sources: load(sourceGlobs), pages: load(pageGlobs) };
}

/** Text between tags. */
const markupText = /(?<=[>}])[^<>{}]*[A-Za-z][^<>{}]*(?=[<{])/g;

/** Comments, and in production code the texts of several words: what it logs, refuses, prints and shows. */
export function proseOfSource({ path, text }: SourceFile): readonly ProseLine[] {
  const { passages } = maskCode(text);
  const shown = path.endsWith('.tsx') ? shownText(text, passages) : [];
  return [...passages, ...shown]
    .filter(({ kind, text: said }) => kind === 'comment' || (!isTestCode(path) && /\S\s+\S/.test(said)))
    .flatMap(({ kind, at, text: said }) => {
      const first = text.slice(0, at).split('\n').length;
      return said.split('\n').map((line, index) => ({ path, line: first + index, kind, text: line }));
    });
}

type Passage = ReturnType<typeof maskCode>['passages'][number];

/** What a view shows between its tags, code and comments left out. */
function shownText(text: string, passages: readonly Passage[]): readonly Passage[] {
  let markup = text;
  for (const { kind, at, text: said } of passages)
    if (kind === 'comment') markup = markup.slice(0, at) + ' '.repeat(said.length) + markup.slice(at + said.length);
  return [...markup.matchAll(markupText)].map(({ index, 0: said }) => ({ kind: 'string', at: index, text: said }));
}

/** Lines of a page without code, addresses of links and cited titles. */
export function proseOfPage({ path, text }: SourceFile): readonly ProseLine[] {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode) return [];
    return [{ path, line: index + 1, kind: 'page', text: line.replace(citedTitle, '').replace(notProse, '') }];
  });
}
