import type { ReadTx, WriteTx } from '../../store/contracts/index.ts';

/** Value of the instance: the backup of the schedule that was begun and did not end well; absent when none is pending. */
export const OWED = 'backup.owed';

/** A scheduled backup that is to be made again. */
export interface OwedBackup {
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
export const owedBackup = async (reads: Pick<ReadTx, 'instance'>): Promise<OwedBackup | undefined> => {
  const text = await reads.instance.value(OWED);
  return text === undefined ? undefined : (JSON.parse(text) as OwedBackup);
};

/** Notes a backup as due, in the store, so that a restart still makes it. */
export const oweBackup = (tx: Pick<WriteTx, 'instance'>, owed: OwedBackup): Promise<void> =>
  tx.instance.setValue(OWED, JSON.stringify(owed));

/** The backup of that time is made; a later one that is pending stays so. */
export const settleBackup = async (tx: Pick<WriteTx, 'instance'>, dueMs: number): Promise<void> => {
  if ((await owedBackup(tx))?.dueMs === dueMs) await tx.instance.removeValue(OWED);
};

/** Somebody made a backup by hand: one that failed before is no longer pending. The first try of one continues. */
export const settleFailedBackup = async (tx: Pick<WriteTx, 'instance'>): Promise<void> => {
  if (failedTries(await owedBackup(tx)) > 0) await tx.instance.removeValue(OWED);
};

/** Tries that failed; the one that runs is not counted. */
export const failedTries = (owed: OwedBackup | undefined): number =>
  owed === undefined || owed.problem === '' ? 0 : owed.tries;
