import { Fault, isFault } from '../../base/index.ts';

/** Extended result codes after which it is unknown what reached the disk: fsync of a file, of a directory. */
const SYNC_FAILURES: ReadonlySet<number> = new Set([1034, 1290]);

/** Primary result codes of a file that is no database, and of one whose pages do not hold together. */
const DAMAGES: ReadonlySet<number> = new Set([11, 26]);

const BUSY = 5;
const FULL = 13;
/** Primary result codes of a file that may not be used, or not now: rights, a lock, an I/O error, a missing folder. */
const UNUSABLE: ReadonlySet<number> = new Set([3, BUSY, 8, 10, 14]);

const resultCode = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
};

/** True for an error that came from SQLite itself. */
export const isSqliteError = (error: unknown): boolean => resultCode(error) !== undefined;

/** True when SQLite could not sync a file: nothing more may be acknowledged by this process (architecture 4). */
export const isSyncFailure = (error: unknown): boolean => SYNC_FAILURES.has(resultCode(error) ?? 0);

/** What a caller sees of an error of the engine; Faults and errors of the transaction function pass through unchanged. */
export const toCallerError = (error: unknown): unknown =>
  isFault(error) || !isSqliteError(error) ? error : storageFault('the write was refused by the store', error);

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
  const code = (resultCode(error) ?? 0) & 0xff;
  if (DAMAGES.has(code))
    return new Fault('DATA_LOSS', 'STORE_DAMAGED', `${file} is damaged, or no database`, { cause: error });
  if (code === FULL)
    return new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', `the disk of ${file} is full`, { cause: error });
  return UNUSABLE.has(code) ? storageFault(`${file} cannot be used: ${(error as Error).message}`, error) : error;
};

/** True where another connection holds what was to be locked. */
export const isBusy = (error: unknown): boolean => ((resultCode(error) ?? 0) & 0xff) === BUSY;
