/** One namespace of the instance; `parent` is '' for one at the root. */
export interface NamespaceEntry {
  readonly name: string;
  readonly parent: string;
}

/** The namespaces that the person may see, by name and by place. */
export class NamespaceTree {
  readonly #parents: ReadonlyMap<string, string>;
  /** By name; below it, with a depth from 0. Children come directly after their parent. */
  readonly rows: readonly { readonly name: string; readonly depth: number }[];

  constructor(entries: readonly NamespaceEntry[]) {
    this.#parents = new Map(entries.map(({ name, parent }) => [name, parent]));
    this.rows = this.#below('', 0);
  }

  /** Nearest first. A namespace that is not in the tree is taken by its name: `a:b` is below `a`. */
  ancestorsOf(name: string): readonly string[] {
    const parent = this.#parents.get(name) ?? name.split(':').slice(0, -1).join(':');
    return parent === '' ? [] : [parent, ...this.ancestorsOf(parent)];
  }

  #below(parent: string, depth: number): { readonly name: string; readonly depth: number }[] {
    return [...this.#parents]
      .filter(([, own]) => own === parent || (parent === '' && !this.#parents.has(own)))
      .map(([name]) => name)
      .sort()
      .flatMap((name) => [{ name, depth }].concat(this.#below(name, depth + 1)));
  }
}
