import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import type { CallWakes, SessionLifecycle } from '../../../../runtime/contract.ts';
import {
  type Bus,
  runHolder,
  type Store,
  type StoredResource,
  type WriteTx,
} from '../../../../store/contracts/index.ts';
import {
  CHILD_STOP,
  isRunOver,
  queueItem,
  RUN_EXPIRY,
  RUN_REMAINS,
  RUN_WAKE,
  type RunWake,
  runOf,
  runWaitKey,
} from '../record/index.ts';
import type { RunDriver } from './run-driver.ts';
import type { ChildStop } from './run-moves.ts';

/** Runs that one transaction cancels or removes. */
const BATCH = 20;

/** Has the runs of a workflow cancelled and removed, in the transaction that deletes it. */
export const leaveRuns = (tx: WriteTx, bus: Pick<Bus, 'publish'>, { uid }: StoredResource): Promise<void> =>
  queueItem(tx, bus, { kind: RUN_REMAINS, key: uid });

interface RunRemovalDeps {
  readonly store: Pick<Store, 'write'>;
  readonly driver: RunDriver;
  readonly lifecycle: Pick<SessionLifecycle, 'stop'>;
  readonly wakes: CallWakes;
}

/** Stops children of steps that ended before them, wakes calls that wait for runs, removes runs that are no longer kept, and what a deleted workflow leaves. */
export class RunRemoval implements QueueWorker {
  readonly kinds = [CHILD_STOP, RUN_EXPIRY, RUN_REMAINS, RUN_WAKE];
  readonly datedKinds = [RUN_EXPIRY];
  readonly #deps: RunRemovalDeps;

  constructor(deps: RunRemovalDeps) {
    this.#deps = deps;
  }

  run({ kind, key, payload }: WorkItem): Promise<ReconcileOutcome> {
    const { store } = this.#deps;
    return store.write((tx) => {
      if (kind === RUN_WAKE) return this.#wake(tx, key, JSON.parse(payload) as RunWake);
      if (kind === CHILD_STOP) return this.#stop(tx, JSON.parse(payload) as ChildStop);
      return kind === RUN_EXPIRY ? this.#expire(tx, key) : this.#removeSome(tx, key);
    });
  }

  async #stop(tx: WriteTx, { sessionId, runId }: ChildStop): Promise<ReconcileOutcome> {
    const { driver, lifecycle } = this.#deps;
    if (runId !== '') await driver.cancel(tx, runId, 'the step that began the run has ended');
    const session = sessionId === '' ? undefined : await tx.log.lockSession(sessionId);
    if (session !== undefined) await lifecycle.stop(tx, session, '');
    return DONE;
  }

  async #wake(tx: WriteTx, runId: string, { turnId }: RunWake): Promise<ReconcileOutcome> {
    await this.#deps.wakes.wake(tx, turnId, runWaitKey(runId));
    return DONE;
  }

  async #expire(tx: WriteTx, runId: string): Promise<ReconcileOutcome> {
    const row = await tx.workflowRuns.get({ id: runId });
    if (row !== undefined && isRunOver(row)) await removeRun(tx, runId);
    return DONE;
  }

  /** Cancels and removes runs of a workflow that is gone, the newest first. */
  async #removeSome(tx: WriteTx, workflowUid: string): Promise<ReconcileOutcome> {
    const rows = await tx.workflowRuns.page('ofWorkflow', { workflowUid }, { limit: BATCH });
    for (const row of rows) {
      if (!isRunOver(runOf(row))) await this.#deps.driver.cancel(tx, row.id, 'the workflow was deleted');
      await removeRun(tx, row.id);
    }
    return rows.length < BATCH ? DONE : { againMs: 0 };
  }
}

/** Removes an ended run with everything that it keeps. */
const removeRun = async (tx: WriteTx, runId: string): Promise<void> => {
  await tx.queue.cancel(RUN_EXPIRY, runId);
  await tx.workflowSteps.removeAll('ofRun', { runId });
  await tx.workflowValues.removeAll('ofRun', { runId });
  await tx.workflowEvents.removeAll('ofRun', { runId });
  await tx.workflowRuns.remove({ id: runId });
  await tx.objects.dropReferences(runHolder(runId), tx.steadyNow());
};
