import type { ScheduleStatus } from '@svc/api/resources';
import type { ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';

/** Durable timers of schedules: one queue row per armed schedule, due at its next run, a Unix time. Nothing takes them yet. */
export const SCHEDULE_TIMER = 'schedule.timer';

/** What a timer stands for: it may fire only while the schedule still says the same. */
interface TimerFence {
  readonly uid: string;
  readonly revision: string;
  /** Micros. */
  readonly runAt: string;
}

const rowKey = (key: ResourceKey): string => `${key.namespace}/${key.name}`;

/** Name of a schedule's timer, as its status shows it. */
export const timerName = (key: ResourceKey): string => `${SCHEDULE_TIMER}/${rowKey(key)}`;

/** Makes the timer row agree with the status, in the same transaction. */
export const settleTimer = async (tx: WriteTx, record: StoredResource, status: ScheduleStatus): Promise<void> => {
  const { nextRunAt, revision } = status;
  if (nextRunAt === undefined) {
    await cancelTimer(tx, record.key);
    return;
  }
  const fence: TimerFence = { uid: record.uid, revision: String(revision), runAt: String(nextRunAt) };
  const item = { kind: SCHEDULE_TIMER, key: rowKey(record.key), dueAt: Number(nextRunAt), attempts: 0 };
  await tx.queue.put({ ...item, payload: JSON.stringify(fence) }, { replace: true });
};

/** The schedule will not wake before it is armed again. */
export const cancelTimer = (tx: WriteTx, key: ResourceKey): Promise<void> =>
  tx.queue.cancel(SCHEDULE_TIMER, rowKey(key));
