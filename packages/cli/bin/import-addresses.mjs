/**
 * Where the imports of this program lead, told without asking the disk. Node resolves each import again: is the file
 * there, is it a link, which package.json says what it is, which of its exports is meant. For the 2,900 imports of a
 * server that is a third of its start. The answers are Node's own (a test compares them); a file that is not there fails
 * when it is read.
 */

/** Folder of our packages: `file:///…/packages/` of a checkout, `file:///…/node_modules/` where they are installed. */
const root = new URL('../../', import.meta.url).href;

/** Our packages in that folder, which is shared with those of others where they are installed. */
const ownPackage = root.endsWith('/node_modules/') ? /^(?:svc|@svc\/[^/]+)\// : /^[^/]+\//;

/** What Node said, by importing package and name: what a name leads to depends on the package alone. */
const named = new Map();

/** A `resolve` hook of node:module. Leaves `require`, and everything it does not know, to Node. */
export const resolveImport = (specifier, context, next) => {
  const { conditions, parentURL } = context;
  if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
  if (specifier.startsWith('.')) return relative(specifier, parentURL) ?? next(specifier, context);
  const importer = packageOf(parentURL);
  if (specifier.startsWith('node:') || importer === undefined) return next(specifier, context);
  const key = `${importer} ${specifier}`;
  const known = named.get(key) ?? { ...next(specifier, context), shortCircuit: true };
  named.set(key, known);
  return known;
};

/** Which of our packages a module belongs to; undefined for any other module. */
const packageOf = (url) => {
  if (!url.startsWith(root)) return undefined;
  const path = url.slice(root.length);
  return path.includes('/node_modules/') ? undefined : ownPackage.exec(path)?.[0];
};

/** A file that an importer names with its extension is next to it; modules know their importers by their real places. */
const relative = (specifier, parentURL) => {
  if (specifier.endsWith('.js')) return { url: new URL(specifier, parentURL).href, shortCircuit: true };
  if (!specifier.endsWith('.ts') || !parentURL.startsWith(root)) return undefined;
  return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
};
