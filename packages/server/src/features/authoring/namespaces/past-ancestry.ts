import { namespaceKey, pathRoot } from '../../../resources/index.ts';
import type { ResourceChange, ResourceReads } from '../../../store/contracts/index.ts';
import { chain, livingAt, type NamespaceAncestry, type PastLife } from './namespace-ancestry.ts';
import { PARENT_LABEL } from './namespace-rules.ts';

/** Changes read at once when looking ahead. */
const BATCH = 500;

export interface PastAncestryDeps {
  readonly resources: Pick<ResourceReads, 'get' | 'changes'>;
  readonly live: Pick<NamespaceAncestry, 'parentAt'>;
  /** True when no one waits for the answer any more. */
  readonly isOver: () => boolean;
}

/**
 * Ancestors at the time of changes that are read from the change log in version order, by one reader, for WatchResources.
 * A root namespace that is gone, or came back since, has its former parent in the log only, in the last state of its removal,
 * which comes after that of its contents: the log is read ahead to there, each part of it once, and only when such a
 * namespace turns up.
 */
export class PastAncestry {
  readonly #deps: PastAncestryDeps;
  readonly #lives = new Map<string, readonly PastLife[]>();
  /** Version up to which the log was read ahead. */
  #readTo = 0;

  constructor(deps: PastAncestryDeps) {
    this.#deps = deps;
  }

  /** Looks up what `ancestorsAt` has to know for these changes; they are not older than those given before. */
  async learn(changes: readonly ResourceChange[]): Promise<void> {
    const createdAt = new Map<string, number>();
    for (const change of changes) {
      const { kind, name, namespace } = change.resource.key;
      const seen = new Set<string>();
      let root = pathRoot(kind === 'Namespace' ? name : namespace);
      while (root !== '' && !seen.has(root)) {
        seen.add(root);
        const created = createdAt.get(root) ?? (await this.#createdAt(root));
        createdAt.set(root, created);
        // Once the whole log is known to tell nothing, it is not asked again for the changes of this call.
        if (created > change.at && !(await this.#readAhead(root, change.version)))
          createdAt.set(root, Number.NEGATIVE_INFINITY);
        root = pathRoot(this.#parentAt(root, change.version) ?? '');
      }
    }
  }

  /** Nearest first; without a version those of now. */
  ancestorsAt(namespace: string, version?: number): readonly string[] {
    return chain(namespace, (root) => this.#parentAt(root, version));
  }

  #parentAt(root: string, version?: number): string | undefined {
    const life = version === undefined ? undefined : livingAt(this.#lives.get(root) ?? [], version);
    return life?.parent ?? this.#deps.live.parentAt(root, version);
  }

  /** Micros; infinite for a namespace without a record. */
  async #createdAt(root: string): Promise<number> {
    const record = await this.#deps.resources.get(namespaceKey(root));
    return record?.createdAt ?? Number.POSITIVE_INFINITY;
  }

  /** Reads on to the removal of the root that ended what the version belongs to; false when there is none. */
  async #readAhead(root: string, version: number): Promise<boolean> {
    this.#readTo = Math.max(this.#readTo, version - 1);
    while (livingAt(this.#lives.get(root) ?? [], version) === undefined) {
      const changes = this.#deps.isOver() ? [] : await this.#deps.resources.changes(this.#readTo, BATCH);
      for (const change of changes) this.#note(change);
      const last = changes.at(-1);
      if (last === undefined) return false;
      this.#readTo = last.version;
    }
    return true;
  }

  #note({ change, resource, version }: ResourceChange): void {
    const { kind, name } = resource.key;
    if (change !== 'deleted' || kind !== 'Namespace' || name.includes(':')) return;
    const life = { uid: resource.uid, parent: resource.labels[PARENT_LABEL] ?? '', until: version };
    this.#lives.set(name, [...(this.#lives.get(name) ?? []), life]);
  }
}
