import {
  DONE,
  type QueueWorker,
  RESOURCES_CHANGED,
  type ReconcileOutcome,
  type WorkItem,
} from '../../../../controllers/contract.ts';
import type { TurnEndHook } from '../../../../runtime/contract.ts';
import type { Bus, ResourceKey, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { storedStatus } from '../schedule-status.ts';
import { noteRun, type RunNotesDeps } from './run-notes.ts';
import { type RunEnd, runFinding } from './run-rules.ts';
import { runName, scheduleOfRun, scheduleOfTurn, type WorkflowRuns } from './start-run.ts';

/** Queue item that notes the end of a run in the status of its schedule; key = id of the turn or run. */
const RUN_ENDED = 'schedule.ended';

interface EndedRun {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly turnId: string;
  /** Absent or '' for a turn. */
  readonly runId?: string;
  readonly end: RunEnd;
  readonly message: string;
}

const ENDS: Readonly<Record<string, RunEnd>> = { COMPLETED: 'completed', STOPPED: 'stopped', CANCELLED: 'stopped' };

const queueEnd = async (tx: WriteTx, bus: Pick<Bus, 'publish'>, ended: EndedRun & { readonly runId: string }) => {
  const key = ended.runId === '' ? ended.turnId : ended.runId;
  await tx.queue.put({
    kind: RUN_ENDED,
    key,
    dueAt: tx.steadyNow(),
    attempts: 0,
    payload: JSON.stringify(ended),
  });
  tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
};

/** Has the ends of runs of workflows noted that schedules began. */
export const followRuns = (runs: Pick<WorkflowRuns, 'onEnd'>, bus: Pick<Bus, 'publish'>): void =>
  runs.onEnd(async (tx, ended) => {
    const schedule = scheduleOfRun(ended);
    if (schedule === undefined) return;
    const { id: runId, status, error } = ended.run;
    const end = ENDS[status] ?? 'failed';
    const message = error === '' && end === 'stopped' ? 'the run was cancelled' : error;
    await queueEnd(tx, bus, { ...schedule, turnId: '', runId, end, message });
  });

/** Has the end of a schedule's turn noted, in the transaction that ends it: the row of the schedule is not held up by its turns. */
export const createScheduleHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, { turn, body }) => {
    const schedule = scheduleOfTurn(body, turn.namespace);
    if (schedule === undefined) return;
    const end = ENDS[turn.state] ?? 'failed';
    const message = body.error ?? body.reason ?? (end === 'stopped' ? 'the turn was stopped' : '');
    await queueEnd(tx, bus, { ...schedule, turnId: turn.id, runId: '', end, message });
  },
});

/** Notes how the runs of schedules ended. */
export class RunEnds implements QueueWorker {
  readonly kinds = [RUN_ENDED];
  readonly #deps: RunNotesDeps & { readonly store: Pick<Store, 'write'> };

  constructor(deps: RunNotesDeps & { readonly store: Pick<Store, 'write'> }) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const { key, uid, turnId, runId = '', end, message } = JSON.parse(item.payload) as EndedRun;
    await this.#deps.store.write(async (tx) => {
      const schedule = await tx.resources.get(key);
      if (schedule?.uid !== uid) return;
      const detail = runName({ turnId, runId });
      const { recentEvents } = storedStatus(schedule);
      // The item ran before, and its process died before it said so.
      if (recentEvents.some((event) => event.phase === 'run' && event.detail === detail)) return;
      const lastRun = runFinding(end, message);
      await noteRun(this.#deps, { tx, schedule }, { events: [['run', end, detail]], lastRun, keepsTimer: true });
    });
    return DONE;
  }
}
