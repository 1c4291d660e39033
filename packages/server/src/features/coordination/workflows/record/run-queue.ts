import { type Bus, RESOURCES_CHANGED, type WriteTx } from '../../../../store/contracts/index.ts';

/**
 * Items of the durable queue that move runs. Each says what happened and to which attempt: one that comes late, or again, matches nothing
 * any more and changes nothing.
 */

/** Something is to be done in a run; key = run id. */
export const RUN_ADVANCE = 'workflow.advance';
/** The turn of an agent step ended; key = turn id. */
export const TURN_REPORT = 'workflow.turn';
/** A child run ended; key = its id. */
export const CHILD_REPORT = 'workflow.child';
/** A retry, time-out or wait is due by the clock of the store; key = run/step/what. */
export const STEP_TIMER = 'workflow.timer';
/** A wait until a Unix time is over; key = run/step/what. */
export const STEP_DATE = 'workflow.date';
/** A tool has to be called; key = run/step/attempt. */
export const TOOL_CALL = 'workflow.tool';
/** How long a process has a call without renewing its claim. */
export const CALL_HOLD_MS = 30_000;
/** A child has to be stopped; key = its id. */
export const CHILD_STOP = 'workflow.stop';
/** An ended run is no longer kept from then on; key = run id. */
export const RUN_EXPIRY = 'workflow.expiry';
/** The runs of a deleted workflow have to be cancelled and removed; key = its uid. */
export const RUN_REMAINS = 'workflow.remains';

/** The run that a call of a tool waits for has ended or is suspended; key = run id. */
export const RUN_WAKE = 'workflow.wake';

/** Payload of RUN_WAKE: the turn whose call waits. */
export interface RunWake {
  readonly turnId: string;
}

/** Key under which a call waits for a run. */
export const runWaitKey = (runId: string): string => `run:${runId}`;

/** An attempt of a step. */
export interface StepAttempt {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
}

export type TimerPurpose = 'retry' | 'timeout' | 'wait';

export interface StepTimer extends StepAttempt {
  readonly purpose: TimerPurpose;
  /** Micros, by the clock of the kind of item. */
  readonly dueAt: number;
}

interface NewItem {
  readonly kind: string;
  readonly key: string;
  readonly payload?: unknown;
  /** Micros; absent = now. */
  readonly dueAt?: number;
}

/** Queues an item in place of one with its kind and key, and wakes the workers of this process after the commit. */
export const queueItem = async (tx: WriteTx, bus: Pick<Bus, 'publish'>, item: NewItem): Promise<void> => {
  const { kind, key, payload = {}, dueAt } = item;
  await tx.queue.put(
    { kind, key, dueAt: dueAt ?? tx.steadyNow(), attempts: 0, payload: JSON.stringify(payload) },
    { replace: true },
  );
  if (dueAt === undefined) tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
};

const timerKey = ({ runId, stepId }: StepAttempt, purpose: TimerPurpose): string => `${runId}/${stepId}/${purpose}`;

/** Sets a timer of a step, in the transaction of the status that it guards. */
export const armTimer = async (tx: WriteTx, timer: StepTimer, kind = STEP_TIMER): Promise<void> => {
  const { purpose, dueAt } = timer;
  const item = { kind, key: timerKey(timer, purpose), dueAt, attempts: 0, payload: JSON.stringify(timer) };
  await tx.queue.put(item, { replace: true });
};

/** Drops a timer of a step. */
export const dropTimer = async (tx: WriteTx, step: StepAttempt, purpose: TimerPurpose): Promise<void> => {
  await tx.queue.cancel(STEP_TIMER, timerKey(step, purpose));
  if (purpose === 'wait') await tx.queue.cancel(STEP_DATE, timerKey(step, purpose));
};

/** Key of the call of a tool, which is its idempotency key as well. */
export const callKey = ({ runId, stepId, attempt }: StepAttempt): string => `${runId}/${stepId}/${attempt}`;
