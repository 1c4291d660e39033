import { Fault } from '../../base/index.ts';
import { composed, type Queries } from './connection/index.ts';

const OTHERS = composed<{ count: number }>(
  `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc'
   AND pid <> pg_backend_pid()`,
);
/** Looks before a refusal, 50 ms apart: connections that this process just closed are listed for a moment more. */
const MAX_LOOKS = 20;
const PAUSE = composed('SELECT pg_stat_clear_snapshot(), pg_sleep(0.05)');

/** True while servers, or other commands, are connected to the database. */
export const hasOthers = async (sql: Queries): Promise<boolean> => (await sql.one(OTHERS)).count > 0;

/** Fault FAILED_PRECONDITION STORE_IN_USE while servers, or other commands, are connected to the database. */
export const requireNoOthers = async (sql: Queries): Promise<void> => {
  for (let looks = 1; await hasOthers(sql); looks++) {
    if (looks === MAX_LOOKS)
      throw new Fault(
        'FAILED_PRECONDITION',
        'STORE_IN_USE',
        'a server, or another command, is connected to the database: stop it first',
      );
    await sql.rows(PAUSE);
  }
};
