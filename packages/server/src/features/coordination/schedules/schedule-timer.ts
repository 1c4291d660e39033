import type { ScheduleStatus } from '@svc/api/resources';
import { recordKey } from '../../../resources/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';

/** Durable timers of schedules: one queue row per armed schedule, due at its next run or at the next try of one that failed, a Unix time. */
export const SCHEDULE_TIMER = 'schedule.timer';

/** What a timer stands for: it may fire only while the schedule still says the same. */
export interface TimerFence {
  readonly uid: string;
  readonly revision: string;
  /** Micros. */
  readonly runAt: string;
  /** How often the run has failed. */
  readonly failures?: number;
}

/** How a timer is set. */
interface TimerOptions {
  /** Sets the timer where there is none, and leaves one that is set. */
  readonly onlyNew?: boolean;
  /** The run failed so often, and is tried again at this time, micros. */
  readonly retry?: { readonly failures: number; readonly at: number };
}

const rowKey = (key: ResourceKey): string => `${key.namespace}/${key.name}`;

/** Name of a schedule's timer, as its status shows it. */
export const timerName = (key: ResourceKey): string => `${SCHEDULE_TIMER}/${rowKey(key)}`;

/** The schedule that a timer with this key is of. */
export const timerSchedule = (timerKey: string): ResourceKey => {
  const slash = timerKey.indexOf('/');
  return recordKey('Schedule', timerKey.slice(0, slash), timerKey.slice(slash + 1));
};

/** Makes the timer row agree with the status, in the same transaction. */
export const settleTimer = async (
  tx: WriteTx,
  { record, status }: { readonly record: StoredResource; readonly status: ScheduleStatus },
  { onlyNew = false, retry }: TimerOptions = {},
): Promise<void> => {
  const { nextRunAt, revision } = status;
  if (nextRunAt === undefined) {
    await cancelTimer(tx, record.key);
    return;
  }
  const failed = retry === undefined ? {} : { failures: retry.failures };
  const fence: TimerFence = { uid: record.uid, revision: String(revision), runAt: String(nextRunAt), ...failed };
  const dueAt = retry?.at ?? Number(nextRunAt);
  const item = { kind: SCHEDULE_TIMER, key: rowKey(record.key), dueAt, attempts: 0 };
  await tx.queue.put({ ...item, payload: JSON.stringify(fence) }, { replace: !onlyNew });
};

/** The schedule will not wake before it is armed again. */
export const cancelTimer = (tx: WriteTx, key: ResourceKey): Promise<void> =>
  tx.queue.cancel(SCHEDULE_TIMER, rowKey(key));
