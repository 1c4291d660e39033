import { type Queries, statement, type WriteQueries } from '../connection/index.ts';
import { LOCK_KEY, PRESENCE } from './worker-presence.ts';

/** Free or not is asked without keeping the lock: a worker that comes back must find it free. */
const LOOK = statement<{ name: string; worker: string; free: boolean }>(
  `WITH known AS MATERIALIZED (SELECT name, owner FROM leases WHERE name >= '${PRESENCE}' AND name < '${PRESENCE}~')
   SELECT name, owner AS worker, CASE WHEN pg_try_advisory_lock_shared(${LOCK_KEY('name')})
     THEN pg_advisory_unlock_shared(${LOCK_KEY('name')}) ELSE false END AS free FROM known`,
);
/** Held to the end of the transaction: a worker that comes back meanwhile waits, and learns then what was taken from it. */
const HOLD_FREE = statement<{ worker: string }>(
  `SELECT owner AS worker FROM leases WHERE name = ANY($1::text[]) AND pg_try_advisory_xact_lock_shared(${LOCK_KEY('name')})`,
);
const FORGET = statement(
  `DELETE FROM leases WHERE name = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.worker = leases.owner)`,
);

/** Who judges others by their locks. */
export interface Judge {
  /** Worker of this process by whose own lock it knows that it looks at the right server; undefined = it must not judge. */
  worker(): string | undefined;
  /** Time in which a worker that only lost its connection takes its lock again. */
  grace(): Promise<void>;
}

/**
 * Workers that announced themselves and are gone, for the length of the transaction. None where the own lock is not seen: after
 * a fail-over no lock is held at first, and no one is dead for that.
 */
export const findDeadWorkers = async (sql: Queries, judge: Judge): Promise<readonly string[]> => {
  const own = judge.worker();
  if (own === undefined) return [];
  const seen = await sql.rows(LOOK);
  if (seen.find(({ worker }) => worker === own)?.free !== false) return [];
  const free = seen.filter((each) => each.free).map(({ name }) => name);
  if (free.length === 0) return [];
  await judge.grace();
  return (await sql.rows(HOLD_FREE, [free])).map(({ worker }) => worker);
};

/** Drops what is kept of dead workers that hold no claim any more. */
export const forgetWorkers = (sql: WriteQueries, workers: readonly string[]): void => {
  sql.later(FORGET, [workers.map((worker) => `${PRESENCE}${worker}`)]);
};
