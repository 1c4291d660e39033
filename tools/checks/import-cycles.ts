import { resolveRelative, scanImports } from './imports.ts';
import { isTestCode, type SourceFile } from './source-files.ts';

/**
 * Circles of imports, each once, as "a.ts -> b.ts -> a.ts". In a circle of value imports one module runs before what it imports
 * exists; in one that types close, none of the files can be understood or changed without the others. `import()` does not
 * count: it loads its module later, on purpose.
 */
export function findImportCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = buildGraph(files);
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start !== -1 || finished.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function buildGraph(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(files.map((file) => file.path));
  const production = files.filter((file) => !isTestCode(file.path));
  return new Map(production.map((file) => [file.path, targetsOf(file).filter((target) => known.has(target))]));
}

function targetsOf(file: SourceFile): string[] {
  return scanImports(file.text)
    .filter((statement) => statement.kind !== 'dynamic')
    .map((statement) => resolveRelative(file.path, statement.specifier))
    .filter((target) => target !== undefined);
}
