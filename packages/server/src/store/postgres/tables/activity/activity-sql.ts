import type { Queries, WriteQueries } from '../../connection/index.ts';
import { statement } from '../../connection/index.ts';

/** Rows of one uid at most: as many transactions write its activity side by side. */
const SLOTS = 16;

/** The newest activity of each uid (0005): uid and body. */
export const NEWEST_ACTIVITY = `SELECT DISTINCT ON (uid) uid, body FROM (
  SELECT uid, number, body FROM activity_slots UNION ALL SELECT uid, 0, body FROM activity) a ORDER BY uid, number DESC`;
const READ = statement<{ uid: string; body: string }>(
  `SELECT DISTINCT ON (uid) uid, body FROM (
     SELECT uid, number, body FROM activity_slots WHERE uid = ANY($1::text[])
     UNION ALL SELECT uid, 0, body FROM activity WHERE uid = ANY($1::text[])) a ORDER BY uid, number DESC`,
);
const WRITE = `INSERT INTO activity_slots (uid, slot, number, body)
  SELECT $1::text, pg_backend_pid() % ${SLOTS}, nextval('activity_numbers'), $2::text`;
const REPLACE = 'ON CONFLICT (uid, slot) DO UPDATE SET number = excluded.number, body = excluded.body';
/** Side by side with others that do not care what was there; one after the other with those that do. */
const SHARED = 'FROM pg_advisory_xact_lock_shared(hashtextextended($1, 3))';
const LOCK = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 3))');
const SET = statement(`${WRITE} ${SHARED} ${REPLACE}`);
/** Only when the newest is what was read. */
const CHANGE = statement(
  `${WRITE} WHERE coalesce((SELECT body FROM activity_slots WHERE uid = $1 ORDER BY number DESC LIMIT 1),
     (SELECT body FROM activity WHERE uid = $1)) IS NOT DISTINCT FROM $3::text ${REPLACE}`,
);
const DROP = ['activity_slots', 'activity'].map((table) => statement(`DELETE FROM ${table} WHERE uid = $1`));

/** Activity by uid; a uid without any is left out. */
export const readActivity = async (sql: Queries, uids: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map((await sql.rows(READ, [uids])).map((row) => [row.uid, row.body]));

/** Whatever was there before. */
export const setActivity = (sql: WriteQueries, uid: string, body: string): void => {
  sql.later(SET, [uid, body]);
};

/** False when the activity is not what was read (undefined = there was none); then nothing is written. */
export const changeActivity = async (
  sql: WriteQueries,
  uid: string,
  change: { readonly read: string | undefined; readonly body: string },
): Promise<boolean> => {
  sql.later(LOCK, [uid]);
  return (await sql.run(CHANGE, [uid, change.body, change.read ?? null])) === 1;
};

/** Forgets the activity of a resource that goes. */
export const dropActivity = (sql: WriteQueries, uid: string): void => {
  for (const each of DROP) sql.later(each, [uid]);
};
