import { CONDEMNED, CONDEMNED_FOR_MICROS, type ObjectReferences, objectCondemned } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Queries, statement } from '../connection/index.ts';

const ADD_OBJECT = statement(
  `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES ($1, $2, 0)
   ON CONFLICT (sha256) DO UPDATE SET unreferenced_at = 0 WHERE objects.unreferenced_at < ${CONDEMNED}`,
);
const RESERVE = statement(
  `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES ($1, $2, $3) ON CONFLICT (sha256)
   DO UPDATE SET unreferenced_at = excluded.unreferenced_at
   WHERE objects.unreferenced_at > 0 AND objects.unreferenced_at < $4`,
);
/** After RESERVE, which locked the row: one that somebody refers to, or one that is being removed. */
const IS_CONDEMNED = statement<{ found: number }>(
  'SELECT 1 AS found FROM objects WHERE sha256 = $1 AND unreferenced_at > 0',
);
const ADD_REFERENCE = statement(
  `INSERT INTO object_references (holder, namespace, sha256, size_bytes, media_type, at) VALUES ($1,$2,$3,$4,$5,$6)
   ON CONFLICT DO NOTHING`,
);
const OF_HOLDERS = 'holder = ANY($1::text[])';
const BELOW_HOLDER = '(holder = $1 OR (holder >= $2 AND holder < $3))';
/** The objects are locked in one order before references go: of two that drop the last references, the second marks. */
const lockObjects = (where: string) =>
  statement<{ sha256: string }>(
    `SELECT sha256 FROM objects WHERE sha256 IN (SELECT sha256 FROM object_references WHERE ${where})
     ORDER BY sha256 FOR UPDATE`,
  );
const LOCK_HELD = lockObjects(OF_HOLDERS);
const LOCK_TREE = lockObjects(BELOW_HOLDER);
const DROP = statement(`DELETE FROM object_references WHERE ${OF_HOLDERS}`);
const DROP_TREE = statement(`DELETE FROM object_references WHERE ${BELOW_HOLDER}`);
const MARK = statement(
  `UPDATE objects o SET unreferenced_at = $2 WHERE sha256 = ANY($1::text[])
   AND NOT EXISTS (SELECT 1 FROM object_references r WHERE r.sha256 = o.sha256)`,
);
const HAS = statement<{ found: number }>(
  'SELECT 1 AS found FROM object_references WHERE sha256 = $1 AND namespace = $2 LIMIT 1',
);
/** Those that a collector left behind, and old ones; collectors of other nodes take others. */
const CONDEMN = statement<{ sha256: string }>(
  `UPDATE objects SET unreferenced_at = $1 WHERE sha256 IN (SELECT sha256 FROM objects
     WHERE (unreferenced_at > 0 AND unreferenced_at < $2) OR (unreferenced_at > ${CONDEMNED} AND unreferenced_at < $3)
     ORDER BY unreferenced_at LIMIT $4 FOR UPDATE SKIP LOCKED) RETURNING sha256`,
);
const FORGET = statement('DELETE FROM objects WHERE sha256 = $1 AND unreferenced_at = $2');
const HELD_BYTES = statement<{ bytes: number }>(
  `SELECT coalesce(sum(size_bytes), 0)::bigint AS bytes FROM object_references WHERE ${BELOW_HOLDER}`,
);
const ADOPT = statement(
  'INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);

/** The character behind `/`: every `holder/…` sorts before it. */
const BEHIND_SLASH = '0';

const treeOf = (holder: string): [string, string, string] => [holder, `${holder}/`, `${holder}${BEHIND_SLASH}`];

/** Drops the references of each of these holders. */
export const dropHolders = async (sql: Queries, holders: readonly string[], at: number): Promise<void> => {
  const held = holders.length === 0 ? [] : (await sql.rows(LOCK_HELD, [holders])).map((row) => row.sha256);
  if (held.length === 0) return;
  await sql.run(DROP, [holders]);
  await sql.run(MARK, [held, at]);
};

/** Drops the references of `holder` and of every holder below it (`holder/…`). */
export const dropHolderTree = async (sql: Queries, holder: string, at: number): Promise<void> => {
  const held = (await sql.rows(LOCK_TREE, treeOf(holder))).map((row) => row.sha256);
  await sql.run(DROP_TREE, treeOf(holder));
  if (held.length > 0) await sql.run(MARK, [held, at]);
};

/** Reads of the references to objects. */
export class ObjectReadHandle implements Pick<ObjectReferences, 'hasReference'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  /** True while something of the namespace refers to the object. */
  async hasReference(namespace: string, sha256: string) {
    return (await this.#access.sql.first(HAS, [sha256, namespace])) !== undefined;
  }
}

/** `ObjectReferences` inside one write transaction. */
export class ObjectHandle extends ObjectReadHandle implements ObjectReferences {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async addReference(row: Parameters<ObjectReferences['addReference']>[0]) {
    const { sql } = this.#access;
    if ((await sql.run(ADD_OBJECT, [row.sha256, row.sizeBytes])) === 0) throw objectCondemned(row.sha256);
    sql.later(ADD_REFERENCE, [row.holder, row.namespace, row.sha256, row.sizeBytes, row.mediaType, row.at]);
  }

  async dropReferences(holder: string, at: number) {
    await dropHolders(this.#access.sql, [holder], at);
  }

  async reserve(sha256: string, sizeBytes: number, at: number) {
    const { sql } = this.#access;
    const abandoned = CONDEMNED + at - CONDEMNED_FOR_MICROS;
    if ((await sql.run(RESERVE, [sha256, sizeBytes, at, abandoned])) === 1) return true;
    return (await sql.first(IS_CONDEMNED, [sha256])) === undefined;
  }

  async condemn(beforeMicros: number, at: number, limit: number) {
    const abandoned = CONDEMNED + at - CONDEMNED_FOR_MICROS;
    const taken = await this.#access.sql.rows(CONDEMN, [CONDEMNED + at, beforeMicros, abandoned, limit]);
    return taken.map((row) => row.sha256);
  }

  async forget(sha256: string, at: number) {
    this.#access.sql.later(FORGET, [sha256, CONDEMNED + at]);
  }

  async heldBytes(holder: string) {
    return (await this.#access.sql.one(HELD_BYTES, treeOf(holder))).bytes;
  }

  async adopt(sha256: string, sizeBytes: number, at: number) {
    this.#access.sql.later(ADOPT, [sha256, sizeBytes, at]);
  }
}
