import type { Message } from '@bufbuild/protobuf';
import { API_VERSION, openRecord, type ValueSeal } from '../../resources/index.ts';
import type { ResourceKey, Store, StoredResource } from '../../store/contracts/index.ts';
import {
  type CheckReads,
  type CheckResult,
  DONE,
  type KindContract,
  type ReconcileOutcome,
  type Reconciler,
  type ResourceWriter,
  type StatusDependencies,
} from '../contract.ts';
import { heldStatus } from '../resource-removal.ts';
import { kindForms } from '../spec-forms.ts';
import { storedText } from '../stored-text.ts';

interface StatusReconcilerDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: ValueSeal;
}

const RESYNC_MS = 300_000;

/** A reconciler for each contract whose status depends on more than writes of the resource itself. */
export const statusReconcilers = (
  deps: StatusReconcilerDeps,
  contracts: Iterable<KindContract>,
): readonly Reconciler[] =>
  [...contracts].flatMap((contract) => {
    const { dependsOn } = contract;
    return dependsOn === undefined ? [] : [statusReconciler({ ...deps, contract, dependsOn })];
  });

interface Following extends StatusReconcilerDeps {
  readonly contract: KindContract;
  readonly dependsOn: StatusDependencies;
}

/** Keeps the status that the kind observes true: the same observation as at a write, whenever what it depends on changes. */
const statusReconciler = (following: Following): Reconciler => {
  const { contract, dependsOn } = following;
  return {
    name: `${contract.kind} status`,
    kinds: [contract.kind],
    resyncMs: RESYNC_MS,
    concerns: dependsOn.concerns,
    keysFor: dependsOn.keysFor,
    check: dependsOn.check ?? ((record, reads) => check(following, record, reads)),
    checksResourcesOnly: dependsOn.checksResourcesOnly ?? false,
    reconcile: (key) => reconcile(following, key),
  };
};

/** Due when the kind observes something else now than what is stored. */
const check = async (following: Following, record: StoredResource, reads: CheckReads): Promise<CheckResult> => {
  const status = await observed(following, record, reads);
  if (status === undefined) return DONE;
  const { key, uid, status: stored, apiVersion } = record;
  const place = { kind: key.kind, section: 'status', uid } as const;
  const forms = kindForms(key.kind, apiVersion);
  const by = { seal: following.seal, stored, desc: forms.row?.status };
  const text = heldStatus(record, storedText(place, forms.statusText(status), by));
  return text === stored ? next(following, status, reads.now()) : { due: true };
};

/** Observes in the transaction that writes: what a check saw may have changed since. */
const reconcile = (following: Following, key: ResourceKey): Promise<ReconcileOutcome> =>
  following.store.write(async (tx) => {
    const record = await tx.resources.get(key);
    const status = record === undefined ? undefined : await observed(following, record, tx);
    if (status === undefined) return DONE;
    const stored = await following.writer.writeStatus(tx, key, () => ({ status }));
    if (stored !== undefined) await following.dependsOn.settled?.(tx, stored);
    return next(following, status, tx.now());
  });

const next = ({ dependsOn }: Following, status: Message, now: number): ReconcileOutcome => {
  const againMs = dependsOn.againMs?.(status, now);
  return againMs === undefined ? DONE : { againMs };
};

/** What the kind observes of the resource now; undefined where nothing is to be said. */
const observed = async (
  { contract, dependsOn, seal }: Following,
  current: StoredResource,
  reads: CheckReads,
): Promise<Message | undefined> => {
  const { key, apiVersion, labels, annotations, generation, deletionTimestamp } = current;
  if (contract.observe === undefined || apiVersion !== API_VERSION) return undefined;
  if (deletionTimestamp !== undefined && dependsOn.whileDeleting !== true) return undefined;
  const spec = kindForms(key.kind, apiVersion).readSpec(openRecord(current, seal).spec);
  const place = { key, spec, labels, annotations, current, generation };
  return contract.observe(reads, { ...place, isSpecChanged: false, occasion: 'dependency' });
};
