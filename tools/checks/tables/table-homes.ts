import { isTestCode, type SourceFile } from '../source-files.ts';

const store = 'packages/server/src/store/';
const descriptions = `${store}contracts/tables/described-tables.ts`;
const engines = ['sqlite', 'postgres'];
/** Files of `tables/` whose names must not differ between the engines. */
const comparable = /(-handle|-list|\/described\/[a-z-]+|\/index)\.ts$/;

/** Names of the tables that are described. */
export const describedTables = (files: readonly SourceFile[]): readonly string[] => {
  const text = files.find(({ path }) => path === descriptions)?.text ?? '';
  return [...text.matchAll(/^ {2}name: '(\w+)'|\b(?:lease|queue)Table\('(\w+)'\)/gm)].map(
    ([, named, given]) => named ?? given ?? '',
  );
};

/** Statements about a described table outside of its description, one readable line each. */
export const findStrayStatements = (files: readonly SourceFile[]): readonly string[] => {
  const names = describedTables(files).join('|');
  const statement = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|TRUNCATE)\\s+(${names})\\b`, 'g');
  return files
    .filter(({ path }) => path.startsWith('packages/server/src/') && !isTestCode(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(statement)].map(
        ([found, name]) => `${path} says "${found}": ${name} is described in ${descriptions}, use its handle`,
      ),
    );
};

/** Described tables that the migrations of an engine do not create exactly once; `migrations` by engine. */
export const findUncreated = (
  files: readonly SourceFile[],
  migrations: Readonly<Record<string, string>>,
): readonly string[] =>
  engines.flatMap((engine) =>
    describedTables(files)
      .filter((name) => migrations[engine]?.split(`CREATE TABLE ${name} (`).length !== 2)
      .map((name) => `the migrations of ${engine} do not create ${name} once`),
  );

/** Files that one engine names differently than the other. */
export const findUnpaired = (files: readonly SourceFile[]): readonly string[] => {
  const namesOf = (engine: string): readonly string[] => {
    const folder = `${store}${engine}/tables/`;
    return files
      .map(({ path }) => path)
      .filter((path) => path.startsWith(folder) && !isTestCode(path) && comparable.test(path))
      .map((path) => path.slice(folder.length));
  };
  const [left = '', right = ''] = engines;
  const missing = (from: string, to: string): readonly string[] =>
    namesOf(from)
      .filter((name) => !namesOf(to).includes(name))
      .map((name) => `${store}${to}/tables has no ${name}, which ${from} has`);
  return [...missing(left, right), ...missing(right, left)];
};
