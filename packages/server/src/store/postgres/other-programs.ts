import { Fault } from '../../base/index.ts';
import { composed, type Queries } from './connection/index.ts';

const OTHERS = composed<{ count: number }>(
  `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc'
   AND pid <> pg_backend_pid()`,
);
/** Looks before an answer that somebody is there, 50 ms apart: connections that this process just closed are listed for a moment more. */
const MAX_LOOKS = 20;
const PAUSE = composed('SELECT pg_stat_clear_snapshot(), pg_sleep(0.05)');

/** True while servers, or other commands, stay connected to the database. */
export const hasOthers = async (sql: Queries): Promise<boolean> => {
  for (let looks = 1; (await sql.one(OTHERS)).count > 0; looks++) {
    if (looks === MAX_LOOKS) return true;
    await sql.rows(PAUSE);
  }
  return false;
};

/** Fault FAILED_PRECONDITION STORE_IN_USE while servers, or other commands, are connected to the database. */
export const requireNoOthers = async (sql: Queries): Promise<void> => {
  if (await hasOthers(sql))
    throw new Fault(
      'FAILED_PRECONDITION',
      'STORE_IN_USE',
      'a server, or another command, is connected to the database: stop it first',
    );
};
