import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { taskStatus } from './task-status.ts';

/** Queue item that ends a task at its time and removes an ended one at its; key = uid, payload = key of the task. */
export const TASK_TIMER = 'task.timer';

/** Sets the timer to what the stored status says; none for a task that is kept. */
export const armTaskTimer = async (tx: WriteTx, stored: StoredResource): Promise<void> => {
  const dueAt = Number(taskStatus(stored).expiresAt);
  if (dueAt === 0) return tx.queue.cancel(TASK_TIMER, stored.uid);
  const payload = JSON.stringify(stored.key);
  await tx.queue.put({ kind: TASK_TIMER, key: stored.uid, dueAt, attempts: 0, payload }, { replace: true });
};
