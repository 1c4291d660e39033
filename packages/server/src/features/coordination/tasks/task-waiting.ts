import { TaskPhase } from '@svc/api/resources';
import { recordKey } from '../../../resources/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { ToolContext } from '../../../tools/contract.ts';
import { originOf } from './task-origin.ts';
import { taskStatus } from './task-status.ts';
import { noteSeen, taskWaitKey } from './task-wake.ts';
import { shownTask } from './tools/index.ts';

/** A task, as a call of its owner that waits for it sees it. */
export interface AwaitedTask {
  /** The delegate has to work on it; the owner has nothing to do yet. */
  readonly isOpen: boolean;
  /** What the call waits for. */
  readonly key: string;
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Finds the task of this name that the session asked for; undefined when it asked for none. */
export type AwaitTask = (
  context: Pick<ToolContext, 'namespace' | 'sessionId'>,
  name: string,
) => Promise<AwaitedTask | undefined>;

const OPEN: ReadonlySet<TaskPhase> = new Set([TaskPhase.QUEUED, TaskPhase.RUNNING]);

/** A task that the call is shown as settled brings no message of its own; when it waits, its wake-up is what it waits for. */
export const awaitTask =
  (store: Pick<Store, 'write'>): AwaitTask =>
  ({ namespace, sessionId }, name) =>
    store.write(async (tx) => {
      const record = await tx.resources.get(recordKey('Task', namespace, name));
      if (record === undefined || originOf(record).sessionId !== sessionId) return undefined;
      const isOpen = OPEN.has(taskStatus(record).phase);
      if (!isOpen) await noteSeen(tx, record);
      return { isOpen, key: taskWaitKey(record.uid), shown: shownTask(record) };
    });
