import { API_VERSION, openRecord, type ValueSeal } from '../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type Store,
} from '../store/contracts/index.ts';
import type { KindContract, ReconcileOutcome, Reconciler, ResourceWriter } from './contract.ts';
import { kindForms } from './spec-forms.ts';

export interface StatusReconcilerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: ValueSeal;
  readonly contract: KindContract;
  /** Kinds on which the status depends. */
  readonly follows: Readonly<Record<string, Following>>;
  readonly resyncMs?: number;
}

/** How a status depends on another kind: on any change or only on its presence; everywhere or in the same namespace. */
export interface Following {
  readonly presenceOnly?: boolean;
  readonly sameNamespace?: boolean;
}

const RESYNC_MS = 300_000;

/**
 * Keeps the status that a kind's `observe` finds true while what it refers to changes: the same judgement as at a write,
 * repeated at every change of a followed kind and at each resync.
 */
export const statusReconciler = (deps: StatusReconcilerDeps): Reconciler => ({
  name: `${deps.contract.kind} status`,
  kinds: [deps.contract.kind],
  resyncMs: deps.resyncMs ?? RESYNC_MS,
  concerns: ({ resource: { key } }) => key.kind === deps.contract.kind || deps.follows[key.kind] !== undefined,
  keysFor: (change, reads) => keysFor(deps, change, reads),
  reconcile: (key) => reconcile(deps, key),
});

const keysFor = async (
  deps: StatusReconcilerDeps,
  change: ResourceChange,
  reads: ResourceReads,
): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  const { kind } = deps.contract;
  const own = key.kind === kind && change.change !== 'deleted' ? [key] : [];
  const following = deps.follows[key.kind];
  if (following === undefined || (following.presenceOnly === true && change.change === 'updated')) return own;
  const { namespace } = key;
  const scope =
    following.sameNamespace === true ? ({ type: 'namespace', namespace } as const) : ({ type: 'all' } as const);
  const found = [...own];
  for await (const page of resourcePages(reads, { kind, scope })) found.push(...page.map((record) => record.key));
  return found;
};

const reconcile = async (deps: StatusReconcilerDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const { contract, store, writer, seal } = deps;
  const forms = kindForms(key.kind, API_VERSION);
  await store.write(async (tx) => {
    const current = await tx.resources.get(key);
    if (current === undefined || contract.observe === undefined || current.deletionTimestamp !== undefined) return;
    const { labels, annotations, generation } = current;
    const spec = forms.readSpec(openRecord(current, seal).spec);
    const write = { key, spec, labels, annotations, current, generation, isSpecChanged: false };
    const status = await contract.observe(tx, write);
    await writer.writeStatus(tx, key, () => ({ status }));
  });
  return { done: true };
};
