import { Fault, isFault } from '../../../base/index.ts';
import { storageFull } from '../../contracts/index.ts';

/** SQLSTATE: the transaction lost against another one and may run again. */
const LOCK_REFUSED = '55P03';
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', LOCK_REFUSED]);
/** SQLSTATE: the disk of the database is full. */
const DISK_FULL = '53100';
/** SQLSTATE classes that say that the connection or the server is gone: connection, operator intervention, system. */
const LOST_CLASSES: ReadonlySet<string> = new Set(['08']);
const LOST_CODES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** A statement ended by `statement_timeout`. */
const TIMED_OUT = '57014';

/** The connection went away; what its last statement did is not known here. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to the database was lost', { cause });
    this.name = 'ConnectionLost';
  }
}

/** An error that the server answered to a statement. */
export class ServerError extends Error {
  /** SQLSTATE. */
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`the database refused a statement (${code})`, { cause });
    this.name = 'ServerError';
    this.code = code;
  }
}

/** A statement that the server did not run, or took back, because it refused another one: the cause. */
export class NotRun extends Error {
  constructor(cause: unknown) {
    super('a statement sent with this one was refused', { cause });
    this.name = 'NotRun';
  }
}

/** What the database refused: of a statement that was not run, the one that was. */
export const refusalOf = (error: unknown): unknown => (error instanceof NotRun ? error.cause : error);

const sqlState = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
};

/** What the driver threw, sorted: the server's answer, or a connection that is gone. */
export const toEngineError = (error: unknown): ServerError | ConnectionLost => {
  const code = sqlState(error);
  if (code === undefined || LOST_CLASSES.has(code.slice(0, 2)) || LOST_CODES.has(code))
    return new ConnectionLost(error);
  return new ServerError(code, error);
};

/** True where a lock was not to be had: its holder may keep it for seconds. */
export const isLockRefused = (error: unknown): boolean => error instanceof ServerError && error.code === LOCK_REFUSED;

/** True for what another transaction caused: the function may run again. */
export const isConflict = (error: unknown): boolean => error instanceof ServerError && CONFLICTS.has(error.code);

/** UNAVAILABLE STORAGE; the cause is for the log only. */
export const storageFault = (message: string, cause?: unknown): Fault =>
  new Fault('UNAVAILABLE', 'STORAGE', message, cause === undefined ? {} : { cause });

/** What a caller sees of an error of the engine; Faults and errors of the caller's own function pass through unchanged. */
export const toCallerError = (thrown: unknown): unknown => {
  const error = refusalOf(thrown);
  if (isFault(error)) return error;
  if (error instanceof ConnectionLost) return storageFault('the connection to the database was lost', error);
  if (!(error instanceof ServerError)) return error;
  if (error.code === DISK_FULL) return storageFull(error);
  if (error.code === TIMED_OUT) return storageFault('the database took too long', error);
  return storageFault('the database refused the request', error);
};
