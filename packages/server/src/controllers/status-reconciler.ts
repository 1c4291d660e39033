import type { Message } from '@bufbuild/protobuf';
import { API_VERSION, openRecord, type ValueSeal } from '../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type Store,
  type StoredResource,
} from '../store/contracts/index.ts';
import type { KindContract, Look, LookReads, ReconcileOutcome, Reconciler, ResourceWriter } from './contract.ts';
import { kindForms } from './spec-forms.ts';
import { storedText } from './stored-text.ts';

export interface StatusReconcilerDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'now'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: ValueSeal;
  readonly contract: KindContract;
  /** Kinds on which the status depends. */
  readonly follows: Readonly<Record<string, Following>>;
  readonly resyncMs?: number;
}

/** How a status depends on another kind: on any change or only on its presence; everywhere or in the same namespace. */
interface Following {
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
  concerns: ({ resource: { key } }) => key.kind === deps.contract.kind || followingOf(deps, key.kind) !== undefined,
  keysFor: (change, reads) => keysFor(deps, change, reads),
  look: (record, reads) => look(deps, record, reads),
  reconcile: (key) => reconcile(deps, key),
});

/** Custom kinds may be named like a property of every object. */
const followingOf = ({ follows }: StatusReconcilerDeps, kind: string) =>
  Object.hasOwn(follows, kind) ? follows[kind] : undefined;

const keysFor = async (
  deps: StatusReconcilerDeps,
  change: ResourceChange,
  reads: ResourceReads,
): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  const { kind } = deps.contract;
  const own = key.kind === kind && change.change !== 'deleted' ? [key] : [];
  const following = followingOf(deps, key.kind);
  if (following === undefined || (following.presenceOnly === true && change.change === 'updated')) return own;
  const { namespace } = key;
  const scope =
    following.sameNamespace === true ? ({ type: 'namespace', namespace } as const) : ({ type: 'all' } as const);
  const found = [...own];
  for await (const page of resourcePages(reads, { kind, scope })) found.push(...page.map((record) => record.key));
  return found;
};

const DONE = { done: true } as const;

/** Due when the kind would say something else now than what is stored. */
const look = async (deps: StatusReconcilerDeps, record: StoredResource, reads: LookReads): Promise<Look> => {
  const status = await observed(deps, record, reads);
  if (status === undefined) return DONE;
  const { key, uid, status: stored, apiVersion } = record;
  const place = { kind: key.kind, section: 'status', uid } as const;
  const forms = kindForms(key.kind, apiVersion);
  const text = storedText(place, forms.statusText(status), { seal: deps.seal, stored, desc: forms.row?.status });
  return text === stored ? DONE : { due: true };
};

const reconcile = async (deps: StatusReconcilerDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const { store, writer } = deps;
  const seen = await store.read(async (tx) => {
    const record = await tx.resources.get(key);
    const reads = { resources: tx.resources, log: tx.log, now: () => store.now() };
    return record === undefined ? DONE : look(deps, record, reads);
  });
  if ('due' in seen)
    await store.write(async (tx) => {
      const current = await tx.resources.get(key);
      const status = current === undefined ? undefined : await observed(deps, current, tx);
      if (status !== undefined) await writer.writeStatus(tx, key, () => ({ status }));
    });
  return DONE;
};

/** What the kind says of the resource now; undefined where nothing is to be said. */
const observed = async (
  { contract, seal }: StatusReconcilerDeps,
  current: StoredResource,
  reads: LookReads,
): Promise<Message | undefined> => {
  const { key, apiVersion, labels, annotations, generation, deletionTimestamp } = current;
  if (contract.observe === undefined || apiVersion !== API_VERSION || deletionTimestamp !== undefined) return undefined;
  const spec = kindForms(key.kind, apiVersion).readSpec(openRecord(current, seal).spec);
  return contract.observe(reads, { key, spec, labels, annotations, current, generation, isSpecChanged: false });
};
