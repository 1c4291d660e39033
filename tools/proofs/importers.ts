import { resolveRelative, scanImports } from '../checks/imports.ts';
import type { SourceFile } from '../checks/source-files.ts';

/** Who imports what, over any number of files in between. */
export class Importers {
  readonly #direct = new Map<string, string[]>();

  constructor(sources: readonly SourceFile[]) {
    for (const { path, text } of sources)
      for (const { specifier } of scanImports(text)) {
        const target = resolveRelative(path, specifier);
        if (target !== undefined) this.#direct.set(target, [...(this.#direct.get(target) ?? []), path]);
      }
  }

  /** Test files that import a file, directly or not; itself when it is one. */
  testsOf(file: string): ReadonlySet<string> {
    const seen = new Set([file]);
    for (const each of seen) for (const importer of this.#direct.get(each) ?? []) seen.add(importer);
    return new Set([...seen].filter((each) => each.endsWith('.test.ts')));
  }
}
