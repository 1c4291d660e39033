import {
  CONDITION_MESSAGE_MAX,
  CONDITIONS_MAX,
  type ConditionState,
  canonicalJson,
  formatKey,
  type JsonData,
  type JsonMap,
  parseJsonMap,
  rowOf,
  settleConditions,
} from '../resources/index.ts';
import { dropOwnership } from '../resources/merge/index.ts';
import type { ReadTx, ResourceDraft, StoredResource, WriteTx } from '../store/contracts/index.ts';
import type { AppendAudit, KindContract, RemoveInput, RemoveResult, WriteOrigin } from './contract.ts';

/** Queue item that follows the dependants of a deleted (or waiting) owner; key and payload are its uid and key. */
export const GC_DEPENDENTS = 'gc.dependents';
/** Held by an owner whose blocking dependants have to go first. */
export const FOREGROUND = 'svc/foreground';
/** A finalizer that blocks longer than this is shown as condition Finalized False. */
const FINALIZER_GRACE_MICROS = 600_000_000;
/** Queue item that shows a finalizer as stuck after its grace. */
export const GC_FINALIZERS = 'gc.finalizers';

type Removal = RemoveInput & { readonly current: StoredResource };

/** What removing a resource needs. */
export interface ResourceRemovalDeps {
  readonly contracts: ReadonlyMap<string, KindContract>;
  readonly audit: AppendAudit;
  /** Tells listeners that the store moved on; called after the commit. */
  readonly notify: (version: number) => void;
}

const ORPHAN_BATCH = 500;

/** True while a dependant holds its owner. */
export const isHeld = async (tx: Pick<ReadTx, 'resources'>, { uid }: Pick<StoredResource, 'uid'>): Promise<boolean> =>
  (await tx.resources.dependents(uid, 1, 'blocking')).length > 0;

/** Deletion of one resource in the caller's transaction: finalizers, propagation, effects of the kind, audit. */
export class ResourceRemoval {
  readonly #deps: ResourceRemovalDeps;

  constructor(deps: ResourceRemovalDeps) {
    this.#deps = deps;
  }

  async remove(tx: WriteTx, origin: WriteOrigin, removal: Removal): Promise<RemoveResult> {
    const { current } = removal;
    if (removal.propagation === 'orphan') await this.#orphan(tx, current);
    const finalizers = await this.#finalizers(tx, removal);
    if (finalizers.length > 0) return this.#wait(tx, origin, { current, finalizers });
    return this.#erase(tx, origin, current);
  }

  async #finalizers(tx: WriteTx, removal: Removal): Promise<readonly string[]> {
    const kept = removal.force === true ? [] : removal.current.finalizers;
    if (removal.propagation !== 'foreground' || kept.includes(FOREGROUND)) return kept;
    return (await isHeld(tx, removal.current)) ? [...kept, FOREGROUND] : kept;
  }

  /** The record stays with its deletion time until nothing holds it. */
  async #wait(
    tx: WriteTx,
    origin: WriteOrigin,
    hold: { readonly current: StoredResource; readonly finalizers: readonly string[] },
  ): Promise<RemoveResult> {
    const { current, finalizers } = hold;
    const isSame = current.deletionTimestamp !== undefined && finalizers.length === current.finalizers.length;
    if (isSame) return { resource: current, pending: true };
    const held = { ...current, finalizers, deletionTimestamp: current.deletionTimestamp ?? tx.now() };
    const draft: ResourceDraft = { ...held, status: heldStatus(held, current.status) };
    const stored = (await tx.resources.replace(draft, current.version, ['metadata', 'status'])) ?? current;
    await this.#record(tx, origin, { stored, outcome: 'deleting' });
    if (finalizers.includes(FOREGROUND)) await this.#follow(tx, stored);
    const due = tx.steadyNow() + FINALIZER_GRACE_MICROS;
    await tx.queue.put({
      kind: GC_FINALIZERS,
      key: stored.uid,
      dueAt: due,
      attempts: 0,
      payload: JSON.stringify(stored.key),
    });
    return { resource: stored, pending: true };
  }

  async #erase(tx: WriteTx, origin: WriteOrigin, current: StoredResource): Promise<RemoveResult> {
    await this.#deps.contracts.get(current.key.kind)?.removing?.(tx, current, origin);
    const removed = (await tx.resources.remove(current.key, current.version)) ?? current;
    await dropOwnership(tx, current.uid);
    if (current.deletionTimestamp !== undefined) await tx.queue.cancel(GC_FINALIZERS, current.uid);
    await this.#record(tx, origin, { stored: removed, outcome: 'deleted' });
    const dependants = await tx.resources.dependents(current.uid, 1);
    if (dependants.length > 0) await this.#follow(tx, current);
    return { resource: removed, pending: false };
  }

  async #orphan(tx: WriteTx, owner: StoredResource): Promise<void> {
    for (;;) {
      const batch = await tx.resources.dependents(owner.uid, ORPHAN_BATCH);
      for (const dependant of batch) {
        const owners = dependant.owners.filter((candidate) => candidate.uid !== owner.uid);
        await tx.resources.replace({ ...dependant, owners }, dependant.version, ['metadata']);
      }
      if (batch.length < ORPHAN_BATCH) return;
      await tx.pause();
    }
  }

  async #follow(tx: WriteTx, owner: StoredResource): Promise<void> {
    const payload = JSON.stringify(owner.key);
    await tx.queue.put(
      { kind: GC_DEPENDENTS, key: owner.uid, dueAt: tx.steadyNow(), attempts: 0, payload },
      { replace: true },
    );
  }

  async #record(
    tx: WriteTx,
    origin: WriteOrigin,
    done: { readonly stored: StoredResource; readonly outcome: string },
  ): Promise<void> {
    const { stored, outcome } = done;
    await this.#deps.audit(tx, origin, {
      target: formatKey(stored.key),
      namespace: stored.key.kind === 'Namespace' ? stored.key.name : stored.key.namespace,
      resourceVersion: String(stored.version),
      outcome,
    });
    tx.afterCommit(() => this.#deps.notify(stored.version));
  }
}

type Held = Pick<StoredResource, 'key' | 'apiVersion' | 'status' | 'finalizers' | 'deletionTimestamp'>;

const FINALIZED = 'Finalized';

/**
 * The text of a status while a deletion waits: phase Terminating, except where the phase is an enum of the kind's own, and the
 * condition Finalized once it was raised, with what holds the resource now. Otherwise the text as it is.
 */
export const heldStatus = (held: Held, text: string): string => {
  if (held.deletionTimestamp === undefined) return text;
  const status = parseJsonMap(text) ?? {};
  const raised = conditionsOf(parseJsonMap(held.status) ?? {}).find(isFinalized);
  if (raised === undefined) return canonicalJson({ ...status, ...terminating(held) });
  const conditions = [...others(status), { ...raised, message: namesOf(held) }];
  return canonicalJson({ ...status, ...terminating(held), conditions });
};

/** The status with the condition Finalized False, which names the finalizers. */
export const blockedStatus = (held: Held, at: { readonly now: number; readonly generation: number }): string => {
  const status = parseJsonMap(held.status) ?? {};
  const finding = { type: FINALIZED, status: 'False', reason: 'Blocked', message: namesOf(held) } as const;
  const found = settleConditions([], [finding], at);
  return canonicalJson({
    ...status,
    ...terminating(held),
    conditions: [...others(status), ...found.map(conditionMap)],
  });
};

const namesOf = ({ finalizers }: Held): string => finalizers.join(', ').slice(0, CONDITION_MESSAGE_MAX);

const terminating = (held: Held): JsonMap =>
  rowOf(held)?.status.field['phase']?.enum === undefined ? { phase: 'Terminating' } : {};

const conditionsOf = (status: JsonMap): readonly JsonMap[] => {
  const list: JsonData = status['conditions'] ?? [];
  return Array.isArray(list) ? (list as readonly JsonMap[]) : [];
};

const isFinalized = (condition: JsonMap): boolean => condition['type'] === FINALIZED;

/** The other conditions, as far as there is room for them in addition to this one. */
const others = (status: JsonMap): readonly JsonMap[] =>
  conditionsOf(status)
    .filter((condition) => !isFinalized(condition))
    .slice(0, CONDITIONS_MAX - 1);

const conditionMap = (condition: ConditionState): JsonMap => ({
  type: condition.type,
  status: condition.status,
  reason: condition.reason,
  message: condition.message,
  lastTransitionTime: String(condition.lastTransitionTime),
  observedGeneration: String(condition.observedGeneration),
});
