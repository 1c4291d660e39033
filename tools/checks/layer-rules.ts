/** The import rules: who may import whom, through which file, and that no production code rests on test code. */
import { posix } from 'node:path';
import { type ImportStatement, packageName, resolveRelative, scanImports } from './imports.ts';
import { type LayerRow, layerTable, packageTable } from './layer-table.ts';
import { isGenerated, isTestCode, type SourceFile } from './source-files.ts';

const serverRoot = 'packages/server/src/';
const contractFile = /(^|\/)([a-z0-9-]+-)?contracts?\.ts$/;
const entryFile = /(^|\/)index\.tsx?$/;
/**
 * Folders of the console where each file is an entry: one index would make browsers load all parts of pages with the first one.
 * A screen has an index.
 */
const withoutIndex = /^packages\/console\/src\/(?!screens\/)/;
const loadsLate = /^packages\/console\/src\//;

/** Broken import rules, one readable line each: "file imports specifier: reason". */
export function findImportViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    scanImports(file.text).flatMap((statement) => {
      const reason = judge(file.path, statement);
      return reason === undefined ? [] : [`${file.path} imports ${statement.specifier}: ${reason}`];
    }),
  );
}

function judge(importer: string, statement: ImportStatement): string | undefined {
  const target = resolveRelative(importer, statement.specifier);
  if (target === undefined) return judgePackage(importer, statement);
  const own = workspaceFolder(importer);
  if (own !== workspaceFolder(target)) return `a relative import must stay inside ${own}`;
  if (isTestCode(target) && !isTestCode(importer)) return 'only tests may import test code';
  if (!own.startsWith('packages/')) return undefined;
  return judgeEntry(importer, target, statement) ?? judgeLayer(importer, target, statement);
}

/** `packages/x` for files of a package, else the first folder. */
function workspaceFolder(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'packages' ? `${first}/${second}` : first;
}

function judgePackage(importer: string, statement: ImportStatement): string | undefined {
  if (statement.specifier.startsWith('node:')) return undefined;
  const name = packageName(statement.specifier);
  if (name === 'svc' || name.startsWith('@svc/')) return judgeWorkspacePackage(importer, name, statement);
  const row = layerOf(importer);
  if (row?.libraries === undefined || isTestCode(importer) || row.libraries.includes(name)) return undefined;
  return `${row.layer} may not use the library ${name}`;
}

function judgeWorkspacePackage(importer: string, name: string, statement: ImportStatement): string | undefined {
  const own = workspaceFolder(importer);
  const allowed = packageTable[own] ?? [];
  const isAllowed = allowed.includes(name) || (statement.kind === 'dynamic' && allowed.includes(`dynamic:${name}`));
  if (!isAllowed) return `${own} may not import ${name}`;
  const row = layerOf(importer);
  if (row === undefined || isTestCode(importer) || name !== '@svc/api') return undefined;
  const grants = ['*', 'api', ...(statement.kind === 'type' ? ['api:types'] : [])];
  return row.mayImport.some((entry) => grants.includes(entry)) ? undefined : `${row.layer} may not import ${name}`;
}

/**
 * Inside its own folder, and towards the folders around it, a file is at home; any other folder has entries (index.ts,
 * contracts), except generated ones. Entries are for production code: tests take what they share from where it lies. What the console
 * loads only when it is needed is named by its file: an entry would bring everything else of its folder along.
 */
function judgeEntry(importer: string, target: string, { kind }: ImportStatement): string | undefined {
  const folder = posix.dirname(target);
  if (isGenerated(target) || isTestCode(importer) || withoutIndex.test(target)) return undefined;
  if (kind === 'dynamic' && loadsLate.test(importer)) return undefined;
  const isAtHome = `${posix.dirname(importer)}/`.startsWith(`${folder}/`);
  if (isAtHome || entryFile.test(target) || contractFile.test(target)) return undefined;
  return `${folder} has to be entered through its index.ts or a contract file`;
}

/** Tests may use real engines and neighbours, so only production code is bound to the table. */
function judgeLayer(importer: string, target: string, statement: ImportStatement): string | undefined {
  if (isTestCode(importer) || !importer.startsWith(serverRoot)) return undefined;
  const from = layerOf(importer);
  const to = layerOf(target);
  if (from === undefined) return 'the importing folder has no row in the layer table';
  if (to === undefined) return 'the imported folder has no row in the layer table';
  if (sameLayer(from, importer, target)) return undefined;
  const isAllowed = from.mayImport.some((entry) => allows(entry, { to, target, kind: statement.kind }));
  return isAllowed ? undefined : `${from.layer} may not import ${to.layer}${describeLimit(from, to)}`;
}

interface Edge {
  readonly to: LayerRow;
  readonly target: string;
  readonly kind: ImportStatement['kind'];
}

function allows(entry: string, edge: Edge): boolean {
  const [layer, limit] = entry.split(':');
  if (layer === '*') return true;
  if (layer !== edge.to.layer) return false;
  if (limit === 'contract') return contractFile.test(edge.target);
  return limit === 'types' ? edge.kind === 'type' : true;
}

function describeLimit(from: LayerRow, to: LayerRow): string {
  if (from.mayImport.includes(`${to.layer}:contract`)) return ' except its contract files';
  return from.mayImport.includes(`${to.layer}:types`) ? ' except with import type' : '';
}

/** A row with `*` makes every folder that matches it a layer of its own: the concrete folder has to be the same. */
function sameLayer(row: LayerRow, importer: string, target: string): boolean {
  return matchLayer(row, importer) === matchLayer(row, target);
}

function layerOf(path: string): LayerRow | undefined {
  return layerTable.find((row) => matchLayer(row, path) !== undefined);
}

/** The concrete folder (or file) that makes the path belong to the row. */
function matchLayer(row: LayerRow, path: string): string | undefined {
  if (!path.startsWith(serverRoot)) return undefined;
  const wanted = row.layer.split('/');
  const actual = path.slice(serverRoot.length).split('/').slice(0, wanted.length);
  const isMatch = wanted.every((name, index) => (name === '*' ? actual[index] !== undefined : name === actual[index]));
  return isMatch ? actual.join('/') : undefined;
}
