import type { ReadTx, WriteTx } from '../../../store/contracts/index.ts';

/** Value of the instance: the backup of the schedule that was begun and did not end well; absent when none is pending. */
export const PENDING_BACKUP = 'backup.owed';

/** A scheduled backup that is to be made again. */
export interface PendingBackup {
  /** Time of the schedule, Unix milliseconds. */
  readonly dueMs: number;
  /** Tries that failed; 1 while the first one runs. */
  readonly tries: number;
  /** Not before this time, Unix milliseconds; while a try runs, when it is given up. */
  readonly nextMs: number;
  /** What the last try failed of; '' while the first one runs. */
  readonly problem: string;
}

/** The backup that is due and not made yet. */
export const pendingBackup = async (reads: Pick<ReadTx, 'instance'>): Promise<PendingBackup | undefined> => {
  const text = await reads.instance.value(PENDING_BACKUP);
  return text === undefined ? undefined : (JSON.parse(text) as PendingBackup);
};

/** Notes a backup as due, in the store, so that a restart still makes it. */
export const notePendingBackup = (tx: Pick<WriteTx, 'instance'>, pending: PendingBackup): Promise<void> =>
  tx.instance.setValue(PENDING_BACKUP, JSON.stringify(pending));

/** The backup of that time is made; a later one that is pending stays so. */
export const settleBackup = async (tx: Pick<WriteTx, 'instance'>, dueMs: number): Promise<void> => {
  if ((await pendingBackup(tx))?.dueMs === dueMs) await tx.instance.removeValue(PENDING_BACKUP);
};

/** Somebody made a backup by hand: one that failed before is no longer pending. The first try of one continues. */
export const settleFailedBackup = async (tx: Pick<WriteTx, 'instance'>): Promise<void> => {
  if (failedTries(await pendingBackup(tx)) > 0) await tx.instance.removeValue(PENDING_BACKUP);
};

/** Tries that failed; the one that runs is not counted. */
export const failedTries = (pending: PendingBackup | undefined): number =>
  pending === undefined || pending.problem === '' ? 0 : pending.tries;
