import {
  DONE,
  type QueueWorker,
  RESOURCES_CHANGED,
  type ReconcileOutcome,
  type WorkItem,
} from '../../../../controllers/contract.ts';
import type { TurnEndHook } from '../../../../runtime/contract.ts';
import type { Bus, ResourceKey, Store } from '../../../../store/contracts/index.ts';
import { storedStatus } from '../schedule-status.ts';
import { noteRun, type RunNotesDeps } from './run-notes.ts';
import { type RunEnd, runFinding } from './run-rules.ts';
import { scheduleOfTurn } from './start-run.ts';

/** Queue item that notes the end of a run in the status of its schedule; key = turn id. */
const RUN_ENDED = 'schedule.ended';

interface EndedRun {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly turnId: string;
  readonly end: RunEnd;
  readonly message: string;
}

const ENDS: Readonly<Record<string, RunEnd>> = { COMPLETED: 'completed', STOPPED: 'stopped' };

/** Has the end of a schedule's turn noted, in the transaction that ends it: the row of the schedule is not held up by its turns. */
export const createScheduleHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, { turn, body }) => {
    const schedule = scheduleOfTurn(body, turn.namespace);
    if (schedule === undefined) return;
    const end = ENDS[turn.state] ?? 'failed';
    const message = body.error ?? body.reason ?? (end === 'stopped' ? 'the turn was stopped' : '');
    const payload: EndedRun = { ...schedule, turnId: turn.id, end, message };
    await tx.queue.put({
      kind: RUN_ENDED,
      key: turn.id,
      dueAt: tx.steadyNow(),
      attempts: 0,
      payload: JSON.stringify(payload),
    });
    tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
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
    const { key, uid, turnId, end, message } = JSON.parse(item.payload) as EndedRun;
    await this.#deps.store.write(async (tx) => {
      const schedule = await tx.resources.get(key);
      if (schedule?.uid !== uid) return;
      const detail = `turn ${turnId}`;
      const { recentEvents } = storedStatus(schedule);
      // The item ran before, and its process died before it said so.
      if (recentEvents.some((event) => event.phase === 'run' && event.detail === detail)) return;
      const lastRun = runFinding(end, message);
      await noteRun(this.#deps, { tx, schedule }, { events: [['run', end, detail]], lastRun, keepsTimer: true });
    });
    return DONE;
  }
}
