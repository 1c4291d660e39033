import { Fault, isFault, pathFault, systemCode } from '../../base/index.ts';
import { storageFull } from '../contracts/index.ts';

/** Extended result codes after which it is unknown what reached the disk: fsync of a file, of a directory. */
const SYNC_FAILURES: ReadonlySet<number> = new Set([1034, 1290]);

/** Primary result codes of a file that is not a database, and of one whose pages do not hold together. */
const DAMAGES: ReadonlySet<number> = new Set([11, 26]);

const BUSY = 5;
const FULL = 13;
/** Primary result codes of a file that may not be used, or not now: rights, a lock, an I/O error, a missing folder. */
const UNUSABLE: ReadonlySet<number> = new Set([3, BUSY, 8, 10, 14]);

/** What to do about them. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [3, 'give the user of this process the right to read and write it'],
  [8, 'give the user of this process the right to write it and its directory'],
  [14, 'its directory must exist, and the user of this process must be allowed to write there'],
]);

const resultCode = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
};

/** True for an error that came from SQLite itself. */
export const isSqliteError = (error: unknown): boolean => resultCode(error) !== undefined;

/** True when SQLite could not sync a file: nothing more may be acknowledged by this process. */
export const isSyncFailure = (error: unknown): boolean => SYNC_FAILURES.has(resultCode(error) ?? 0);

/** What a caller sees of an error of the engine; Faults and errors of the transaction function pass through unchanged. */
export const toCallerError = (error: unknown): unknown => {
  if (isFault(error) || !isSqliteError(error)) return error;
  if (((resultCode(error) ?? 0) & 0xff) === FULL) return storageFull(error);
  return storageFault('the database could not write', error);
};

/** The same for an error of a reading connection. */
export const toReaderError = (error: unknown): unknown =>
  isSqliteError(error) ? storageFault('the store could not be read', error) : error;

/** UNAVAILABLE STORAGE; the cause is for the log only. */
export const storageFault = (message: string, cause?: unknown): Fault =>
  new Fault('UNAVAILABLE', 'STORAGE', message, cause === undefined ? {} : { cause });

/** SQLite rolled the whole transaction back by itself: disk full, I/O error. */
export const givenUp = (): Fault => storageFault('the transaction was given up by the store');

/**
 * What a start says of a file that it cannot open or bring up to date: DATA_LOSS STORE_DAMAGED where SQLite could not make sense
 * of it, RESOURCE_EXHAUSTED STORAGE_FULL, UNAVAILABLE STORAGE for rights and disks; other errors pass through unchanged.
 */
export const toOpenError = (error: unknown, file: string): unknown => {
  if (systemCode(error) !== '') return pathFault(file, error);
  const code = (resultCode(error) ?? 0) & 0xff;
  if (DAMAGES.has(code))
    return new Fault(
      'DATA_LOSS',
      'STORE_DAMAGED',
      `${file} is damaged, or is not a database: restore the newest backup (svc restore)`,
      { cause: error },
    );
  if (code === FULL)
    return new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', `the disk of ${file} is full: make room`, { cause: error });
  if (!UNUSABLE.has(code)) return error;
  const advice = ADVICE.get(code);
  return storageFault(
    `${file} cannot be used: ${(error as Error).message}${advice === undefined ? '' : `: ${advice}`}`,
    error,
  );
};

/** True where another connection holds what was to be locked. */
export const isBusy = (error: unknown): boolean => ((resultCode(error) ?? 0) & 0xff) === BUSY;
