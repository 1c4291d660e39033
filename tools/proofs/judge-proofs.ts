import type { SourceFile } from '../checks/source-files.ts';
import type { Proof } from './documents.ts';
import { Importers } from './importers.ts';
import type { TestResult } from './test-results.ts';
import { findTestTitles } from './test-titles.ts';

/** Places of a title that each case fills in: `%s` and its like, `$name`. */
const placeholder = /%[sdifjoO#]|\$[a-zA-Z_][\w.]*/g;

/** Judges proofs by the sources of a checkout, and by what its tests came to. */
export class ProofJudge {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #titles = new Map<string, readonly string[]>();
  readonly #runners = new Map<string, ReadonlySet<string>>();
  readonly #importers: Importers;

  constructor(sources: readonly SourceFile[]) {
    this.#sources = new Map(sources.map(({ path, text }) => [path, text]));
    this.#importers = new Importers(sources);
  }

  /** What is wrong with a proof as it is written: its file does not declare a test of exactly this title. */
  undeclared({ file, title }: Proof): string | undefined {
    if (!this.#sources.has(file)) return `${file}: there is no such file`;
    return this.#titlesOf(file).includes(title) ? undefined : `${file}: no test has the title "${title}"`;
  }

  /**
   * What is wrong with a proof after a run: its test did not run, or did not pass. A test that runs for many cases, or in
   * several projects, is a proof when each of its cases passed in one of them and none failed; a skipped test is not one.
   */
  unproven(proof: Proof, results: readonly TestResult[]): string | undefined {
    const undeclared = this.undeclared(proof);
    if (undeclared !== undefined) return undeclared;
    const { file, title } = proof;
    const statuses = this.#statusesOf(proof, results);
    if (statuses.size === 0) return `${file}: "${title}" did not run`;
    const wrong = [...statuses].find(([, of]) => of.has('failed') || !of.has('passed'));
    if (wrong === undefined) return undefined;
    return `${file}: "${wrong[0]}" ${wrong[1].has('failed') ? 'failed' : `was ${[...wrong[1]].join(' and ')}`}`;
  }

  /** How each case of the proof ended, by its title. */
  #statusesOf({ file, title }: Proof, results: readonly TestResult[]): ReadonlyMap<string, Set<string>> {
    const runners = this.#runnersOf(file);
    const others = this.#titlesOf(file).filter((other) => other !== title);
    const fits = titleMatcher(title);
    const found = new Map<string, Set<string>>();
    for (const result of results) {
      if (!runners.has(result.file) || !fits(result.title) || others.includes(result.title)) continue;
      const statuses = found.get(result.title) ?? new Set();
      found.set(result.title, statuses.add(result.status));
    }
    return found;
  }

  #titlesOf(file: string): readonly string[] {
    const titles = this.#titles.get(file) ?? findTestTitles(this.#sources.get(file) ?? '');
    this.#titles.set(file, titles);
    return titles;
  }

  /** Test files in which the tests of a file run: itself, or for shared cases those that import it, directly or not. */
  #runnersOf(file: string): ReadonlySet<string> {
    const runners = this.#runners.get(file) ?? this.#importers.testsOf(file);
    this.#runners.set(file, runners);
    return runners;
  }
}

/** Tells whether the title of a test that ran is this one, with anything in its placeholders. */
function titleMatcher(title: string): (ran: string) => boolean {
  const pattern = title
    .split(placeholder)
    .map((text) => text.replaceAll('%%', '%').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*');
  const whole = new RegExp(`^${pattern}$`);
  return (ran) => ran === title || whole.test(ran);
}
