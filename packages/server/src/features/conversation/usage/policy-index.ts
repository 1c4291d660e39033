import type { UsagePolicySpec } from '@svc/api/resources';
import type { ChangeFeed } from '../../../controllers/contract.ts';
import { kindRow, messageFromText } from '../../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { type CompiledLimit, compileLimit } from './limit-rules.ts';
import { ON_EXCEEDED } from './policy-rules.ts';

const SELF = 'self';

interface Policy {
  readonly isRecursive: boolean;
  readonly limits: readonly CompiledLimit[];
}

/** Every usage policy in memory, by namespace: the question whether anything governs an act must cost nothing. */
export class PolicyIndex {
  readonly #byNamespace = new Map<string, Map<string, Policy>>();
  readonly #ancestorsOf: (namespace: string) => readonly string[];
  #stop: () => void = () => undefined;

  constructor(ancestorsOf: (namespace: string) => readonly string[]) {
    this.#ancestorsOf = ancestorsOf;
  }

  /** Learns what is stored and follows the changes from there on. */
  async start(resources: ResourceReads, feed: ChangeFeed): Promise<void> {
    const subscription = feed.subscribe((changes) => this.#follow(changes));
    this.#stop = () => subscription.stop();
    const all = { kind: 'UsagePolicy', scope: { type: 'all' } } as const;
    for await (const page of resourcePages(resources, all)) for (const record of page) this.note(record);
  }

  close(): void {
    this.#stop();
  }

  /** Takes note of a policy as soon as its write is committed. */
  note(record: StoredResource): void {
    const { namespace, name } = record.key;
    const policies = this.#byNamespace.get(namespace) ?? new Map<string, Policy>();
    policies.set(name, compile(record));
    this.#byNamespace.set(namespace, policies);
  }

  forget({ namespace, name }: ResourceKey): void {
    const policies = this.#byNamespace.get(namespace);
    policies?.delete(name);
    if (policies?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Limits of the policies that apply in a namespace: its own, and the recursive ones of its ancestors. */
  limitsFor(namespace: string): readonly CompiledLimit[] {
    if (this.#byNamespace.size === 0) return [];
    const own = [...(this.#byNamespace.get(namespace)?.values() ?? [])];
    const above = this.#ancestorsOf(namespace)
      .flatMap((ancestor) => [...(this.#byNamespace.get(ancestor)?.values() ?? [])])
      .filter((policy) => policy.isRecursive);
    return [...own, ...above].flatMap((policy) => policy.limits);
  }

  /** Counters must be kept at least this long. */
  longestWindowMicros(): number {
    const policies = [...this.#byNamespace.values()].flatMap((byName) => [...byName.values()]);
    return Math.max(0, ...policies.flatMap((policy) => policy.limits.map((limit) => limit.windowMicros)));
  }

  #follow(changes: readonly ResourceChange[]): void {
    for (const { change, resource } of changes) {
      if (resource.key.kind !== 'UsagePolicy') continue;
      if (change === 'deleted') this.forget(resource.key);
      else this.note(resource);
    }
  }
}

const compile = (record: StoredResource): Policy => {
  const spec = messageFromText(kindRow('UsagePolicy').spec, record.spec) as UsagePolicySpec;
  const asks = record.annotations[ON_EXCEEDED] === 'ask';
  const policy = { uid: record.uid, namespace: record.key.namespace, name: record.key.name, asks };
  return {
    isRecursive: spec.namespaceScope !== SELF,
    limits: spec.hard.flatMap((limit) => compileLimit(policy, limit) ?? []),
  };
};
