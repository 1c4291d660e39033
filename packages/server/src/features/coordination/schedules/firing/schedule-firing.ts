import { type Fault, isFault } from '../../../../base/index.ts';
import {
  DONE,
  isPassing,
  type QueueWorker,
  type ReconcileOutcome,
  type WorkItem,
} from '../../../../controllers/contract.ts';
import { isTurnOver } from '../../../../runtime/contract.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { anchorOf, firedAtOf, LAST_TURN, liveTiming } from '../schedule-kind.ts';
import { storedStatus } from '../schedule-status.ts';
import { SCHEDULE_TIMER, type TimerFence, timerSchedule } from '../schedule-timer.ts';
import { nextInstant, type Timing } from '../timing/index.ts';
import { noteRun, type RunNote, type RunNotesDeps } from './run-notes.ts';
import { type DueRun, dueRun, retryAt } from './run-rules.ts';
import { type RunStarts, runName, startRun } from './start-run.ts';

export interface ScheduleFiringDeps extends RunStarts, RunNotesDeps {
  readonly store: Pick<Store, 'write'>;
}

/** How long a claimed run may take to begin, micros. */
const CLAIM = 60_000_000;

interface Claim {
  readonly key: ResourceKey;
  readonly fence: TimerFence;
  /** Micros; differs between any two claims of a schedule. */
  readonly until: number;
}

/** A due schedule in the transaction that runs it. */
interface Due {
  readonly tx: WriteTx;
  readonly schedule: StoredResource;
  readonly timing: Timing;
  readonly run: DueRun;
  readonly failures: number;
}

/**
 * Runs due schedules. A claim is one transaction and the run is another: session, message, turn, the status and the next timer are committed
 * together, so that each instant runs once. A process that dies between the two leaves its item in the queue, which another one takes and
 * claims again. What no longer agrees with its timer, because the schedule was changed or deleted, does not run.
 */
export class ScheduleFiring implements QueueWorker {
  readonly kinds = [SCHEDULE_TIMER];
  readonly datedKinds = [SCHEDULE_TIMER];
  readonly #deps: ScheduleFiringDeps;

  constructor(deps: ScheduleFiringDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const fence = JSON.parse(item.payload) as TimerFence;
    const claimed = await this.#claim(timerSchedule(item.key), fence);
    if (claimed === undefined) return DONE;
    if ('againMs' in claimed) return claimed;
    await this.#deps.store.write((tx) => this.#dispatch(tx, claimed));
    return DONE;
  }

  /** Undefined when the schedule says something else than its timer. */
  #claim(key: ResourceKey, fence: TimerFence): Promise<Claim | { readonly againMs: number } | undefined> {
    return this.#deps.store.write(async (tx) => {
      const schedule = await tx.resources.get(key);
      if (schedule === undefined || !agrees(schedule, fence)) return undefined;
      const now = tx.now();
      const runAt = Number(fence.runAt);
      // The clock was set back since the item came due.
      if (now < runAt) return { againMs: Math.ceil((runAt - now) / 1_000) };
      const { claimExpiresAt } = storedStatus(schedule);
      const until = Math.max(now + CLAIM, Number(claimExpiresAt ?? 0) + 1);
      // Taking the item again shows that who claimed it before did not get to the run.
      const expired = claimExpiresAt === undefined ? [] : [['claim', 'expired'] as const];
      const claim = { runAt, until };
      await this.#note(tx, schedule, { events: [...expired, ['claim', 'acquired']], claim, keepsTimer: true });
      return { key, fence, until };
    });
  }

  async #dispatch(tx: WriteTx, { key, fence, until }: Claim): Promise<void> {
    const schedule = await tx.resources.get(key);
    if (schedule === undefined || !agrees(schedule, fence)) return;
    const timing = liveTiming(schedule);
    if (timing === undefined || storedStatus(schedule).claimExpiresAt !== BigInt(until)) return;
    const run = dueRun(timing, Number(fence.runAt), tx.now());
    // Failures of an instant that is no longer the newest one say nothing about this one.
    const failures = run.instant === Number(fence.runAt) ? (fence.failures ?? 0) : 0;
    const due = { tx, schedule, timing, run, failures };
    const reason = await skipReason(this.#deps, due);
    await (reason === undefined ? this.#start(due) : this.#note(tx, schedule, skipped(due, reason)));
  }

  /** The run and what is noted of it are undone together when one of them fails: a run that is not noted would begin again. */
  async #start(due: Due): Promise<void> {
    const { tx, schedule } = due;
    try {
      await tx.savepoint(() => this.#begin(due));
    } catch (error) {
      if (!isFault(error) || isPassing(error)) throw error;
      await this.#note(tx, schedule, failed(due, error));
    }
  }

  async #begin(due: Due): Promise<void> {
    const { tx, schedule, run, timing } = due;
    const started = await startRun(this.#deps, tx, { schedule, instant: run.instant });
    await this.#note(tx, schedule, {
      events: [
        ...missedEvents(run),
        ['dispatch', 'success', runName(started)],
        ...(timing.kind === 'at' ? [['dispatch', 'disabled'] as const] : []),
      ],
      nextRunAt: nextAfter(due) ?? null,
      lastError: '',
      startedIn: started.sessionId || started.runId,
      fired: { instant: run.instant, turnId: started.turnId || started.runId },
    });
  }

  /** The claim ends with the note, unless the note is of the claim. */
  #note(tx: WriteTx, schedule: StoredResource, note: RunNote): Promise<void> {
    return noteRun(this.#deps, { tx, schedule }, { claim: null, ...note });
  }
}

/** Whether a schedule still is what its timer was set for. */
const agrees = (schedule: StoredResource, fence: TimerFence): boolean => {
  const { revision, nextRunAt } = storedStatus(schedule);
  return (
    schedule.uid === fence.uid &&
    schedule.deletionTimestamp === undefined &&
    String(revision) === fence.revision &&
    String(nextRunAt ?? '') === fence.runAt
  );
};

/** The first instant after the due ones; undefined when there is none. */
const nextAfter = ({ tx, schedule, timing, run }: Due): number | undefined => {
  const { annotations } = schedule;
  return nextInstant(timing, anchorOf(annotations), Math.max(tx.now(), run.instant, firedAtOf(annotations)));
};

/** Why the due instant is not run, as the schedule's options say; undefined when it is. A further try of one that failed is not overdue. */
const skipReason = async (
  { runs }: Pick<RunStarts, 'runs'>,
  { tx, schedule, run, failures }: Due,
): Promise<string | undefined> => {
  const { annotations } = schedule;
  if (run.isOverdue && failures === 0 && annotations['option.svc/catch-up'] === 'skip') return 'catch-up';
  if (annotations['option.svc/overlap'] !== 'skip') return undefined;
  const id = annotations[LAST_TURN];
  if (id === undefined) return undefined;
  const last = await tx.log.turn(id);
  const isOver = last === undefined ? await runs.isOver(tx, id) : isTurnOver(last);
  return isOver ? undefined : 'overlap';
};

const missedEvents = ({ missed }: DueRun): RunNote['events'] =>
  missed === 0 ? [] : [['dispatch', 'missed', String(missed)]];

const skipped = (due: Due, reason: string): RunNote => ({
  events: [...missedEvents(due.run), ['dispatch', 'skipped', reason]],
  nextRunAt: nextAfter(due) ?? null,
});

const failed = (due: Due, { reason, message }: Fault): RunNote => {
  const { tx, run, failures: before, timing } = due;
  const failures = before + 1;
  const next = nextAfter(due);
  const at = retryAt(failures, tx.now(), next);
  const lastError = `${reason}: ${message}`;
  if (at !== undefined)
    return {
      events: [...missedEvents(run), ['dispatch', 'retry', lastError]],
      nextRunAt: run.instant,
      lastError,
      retry: { failures, at },
    };
  return {
    events: [...missedEvents(run), ['dispatch', 'error', lastError]],
    nextRunAt: next ?? null,
    lastError,
    ...(timing.kind === 'at' ? { hasGivenUp: true } : {}),
  };
};
