/** A folder or a document of a tree of paths. */
export interface PathNode {
  /** Last part of the path. */
  readonly name: string;
  readonly path: string;
  /** Of a folder; empty for a document. */
  readonly children: readonly PathNode[];
  readonly isFolder: boolean;
}

/** The tree of paths with `/` between their parts: folders first, both by name. */
export const pathTree = (paths: readonly string[]): readonly PathNode[] =>
  below(
    paths.map((path) => ({ path, rest: path.split('/').filter(Boolean) })),
    '',
  );

interface Remaining {
  readonly path: string;
  readonly rest: readonly string[];
}

const below = (entries: readonly Remaining[], folder: string): readonly PathNode[] => {
  const folders = new Map<string, Remaining[]>();
  const documents: PathNode[] = [];
  for (const { path, rest } of entries) {
    const [first = path, ...others] = rest;
    if (others.length === 0) documents.push({ name: first, path, children: [], isFolder: false });
    else folders.set(first, [...(folders.get(first) ?? []), { path, rest: others }]);
  }
  const nodes = [...folders].map(([name, inside]): PathNode => {
    const path = `${folder}${name}/`;
    return { name, path, children: below(inside, path), isFolder: true };
  });
  return [...nodes.sort(byName), ...documents.sort(byName)];
};

const byName = (left: PathNode, right: PathNode): number => (left.name < right.name ? -1 : 1);
