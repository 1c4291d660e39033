/**
 * Where the imports of this program lead, told without asking the disk. Node looks at each import anew: is the file there, is it a
 * link, which package.json says what it is, which of its exports is meant. For the 2,900 imports of a server that is a third of
 * its start. The answers are Node's own (a test compares them); a file that is not there fails when it is read.
 */

/** Folder of the packages, `file:///…/packages/`: their TypeScript is made of modules, their imports of other packages are kept. */
const root = new URL('../../', import.meta.url).href;

/** What Node said, by importing package and name: what a name leads to depends on the package alone. */
const named = new Map();

/** A `resolve` hook of node:module. Leaves `require`, and everything it does not know, to Node. */
export const resolveImport = (specifier, context, next) => {
  const { conditions, parentURL } = context;
  if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
  if (specifier.startsWith('.')) return relative(specifier, parentURL) ?? next(specifier, context);
  if (specifier.startsWith('node:') || !parentURL.startsWith(root)) return next(specifier, context);
  const importer = parentURL.slice(0, parentURL.indexOf('/', root.length));
  const key = `${importer} ${specifier}`;
  const known = named.get(key) ?? { ...next(specifier, context), shortCircuit: true };
  named.set(key, known);
  return known;
};

/** A file that an importer names with its extension lies beside it; modules know their importers by their real places. */
const relative = (specifier, parentURL) => {
  if (specifier.endsWith('.js')) return { url: new URL(specifier, parentURL).href, shortCircuit: true };
  if (!specifier.endsWith('.ts') || !parentURL.startsWith(root)) return undefined;
  return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
};
