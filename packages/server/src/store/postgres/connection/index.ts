/**
 * store/postgres/connection: statements, connections and what their errors mean. Everything the driver `pg` is asked for is
 * asked here; nothing of its errors (SQL, addresses) leaves but as the cause of a Fault. Knows no table.
 */
export { Database, type DatabaseOptions } from './database.ts';
export { onlyRow, type Session } from './session.ts';
export {
  composed,
  listing,
  type Queries,
  type SqlAnswer,
  type SqlValue,
  Statement,
  statement,
  type WriteQueries,
} from './statement.ts';
export {
  ConnectionLost,
  isConflict,
  isLockRefused,
  NotRun,
  refusalOf,
  ServerError,
  storageFault,
  toCallerError,
} from './storage-fault.ts';
