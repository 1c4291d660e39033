import { type LabelRequirement, matchesLabels } from '../../../resources/index.ts';
import type { ResourceChange, ResourceChangeKind, StoredResource } from '../../../store/contracts/index.ts';
import { ALL_NAMESPACES } from './resource-scope.ts';

export interface WatchScope {
  readonly ns: string;
  readonly recursive: boolean;
  /** Empty = all. */
  readonly kinds: ReadonlySet<string>;
  readonly labels: readonly LabelRequirement[];
  /** Ancestors when the change of that version was written, or now. */
  readonly ancestorsAt: (namespace: string, version?: number) => readonly string[];
}

/**
 * Which changes a watch shows and as what. The log holds only the state after a change, so with a selector it remembers what it
 * has shown; for what it never saw a change of metadata out of the selector counts as leaving it.
 */
export class WatchFilter {
  readonly #scope: WatchScope;
  readonly #shown = new Set<string>();
  /** True when everything present was shown at the beginning. */
  readonly #isComplete: boolean;

  constructor(scope: WatchScope, isComplete: boolean) {
    this.#scope = scope;
    this.#isComplete = isComplete;
  }

  /** True for a present resource that the watch begins with; it is remembered. */
  admits(resource: StoredResource): boolean {
    if (!this.#isInScope(resource) || !this.#matches(resource)) return false;
    this.#remember(resource.uid);
    return true;
  }

  /** What to send for a change; undefined for nothing. */
  judge(change: ResourceChange): ResourceChangeKind | undefined {
    const { resource } = change;
    if (!this.#isInScope(resource, change.version)) return undefined;
    if (this.#scope.labels.length === 0) return change.change;
    const wasShown = this.#shown.has(resource.uid);
    if (change.change === 'deleted') {
      this.#shown.delete(resource.uid);
      return wasShown || this.#matches(resource) ? 'deleted' : undefined;
    }
    if (this.#matches(resource)) {
      this.#remember(resource.uid);
      return change.change;
    }
    this.#shown.delete(resource.uid);
    const mayHaveMatched = !this.#isComplete && change.change === 'updated' && change.sections.includes('metadata');
    return wasShown || mayHaveMatched ? 'deleted' : undefined;
  }

  #remember(uid: string): void {
    if (this.#scope.labels.length > 0) this.#shown.add(uid);
  }

  #matches(resource: StoredResource): boolean {
    return matchesLabels(resource.labels, this.#scope.labels);
  }

  #isInScope(resource: StoredResource, version?: number): boolean {
    const { ns, recursive, kinds, ancestorsAt } = this.#scope;
    const { kind, name } = resource.key;
    if (kinds.size > 0 && !kinds.has(kind)) return false;
    if (ns === ALL_NAMESPACES) return true;
    const namespace = kind === 'Namespace' ? name : resource.key.namespace;
    return namespace === ns || (recursive && ancestorsAt(namespace, version).includes(ns));
  }
}
