import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltFile, builtFiles } from './built-files.ts';

/** Where a build puts the console: next to this module, or next to the program that contains it. Sources have none. */
const BUILT = join(import.meta.dirname, 'console');

/** The console as it was built. */
export interface ConsoleFiles {
  /** index.html. */
  readonly page: string;
  /** What the page loads, by name. The names contain a hash of the content, so a file never changes. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

/** Undefined where no console was built. */
export const findConsole = (folder = BUILT): ConsoleFiles | undefined => {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return undefined;
  return { page: readFileSync(page, 'utf8'), assets: builtFiles(join(folder, 'assets')) };
};
