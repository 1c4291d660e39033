import { CONDEMNED, CONDEMNED_FOR_MICROS, type ObjectReferences, objectCondemned } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Connection, LIMIT, sql } from '../connection.ts';

const ADD_OBJECT = sql(
  `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, 0)
   ON CONFLICT DO UPDATE SET unreferenced_at = 0 WHERE unreferenced_at < ?`,
);
const RESERVE = sql(
  `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, ?)
   ON CONFLICT DO UPDATE SET unreferenced_at = excluded.unreferenced_at WHERE unreferenced_at > 0 AND unreferenced_at < ?`,
);
const IS_CONDEMNED = sql<{ readonly found: number }>(
  'SELECT 1 AS found FROM objects WHERE sha256 = ? AND unreferenced_at > 0',
);
const ADD_REFERENCE = sql(
  `INSERT INTO object_references (holder, namespace, sha256, size_bytes, media_type, at) VALUES (?,?,?,?,?,?)
   ON CONFLICT DO NOTHING`,
);
const HELD = sql<{ readonly sha256: string }>(
  'SELECT DISTINCT sha256 FROM object_references WHERE holder >= ? AND holder < ?',
);
const DROP = sql('DELETE FROM object_references WHERE holder >= ? AND holder < ?');
const MARK = sql(
  `UPDATE objects SET unreferenced_at = ? WHERE sha256 = ?
   AND NOT EXISTS (SELECT 1 FROM object_references r WHERE r.sha256 = objects.sha256)`,
);
const HAS = sql<{ readonly found: number }>(
  'SELECT 1 AS found FROM object_references WHERE sha256 = ? AND namespace = ? LIMIT 1',
);
const UNREFERENCED = sql<{ readonly sha256: string }>(
  `SELECT sha256 FROM objects WHERE unreferenced_at > 0 AND unreferenced_at < ? ORDER BY unreferenced_at ${LIMIT}`,
);
const LEFT_BEHIND = sql<{ readonly sha256: string }>(
  `SELECT sha256 FROM objects WHERE unreferenced_at > ${CONDEMNED} AND unreferenced_at < ?
   ORDER BY unreferenced_at ${LIMIT}`,
);
const CONDEMN = sql('UPDATE objects SET unreferenced_at = ? WHERE sha256 = ?');
const FORGET = sql('DELETE FROM objects WHERE sha256 = ? AND unreferenced_at = ?');
const HELD_BYTES = sql<{ readonly bytes: number }>(
  `SELECT COALESCE(SUM(size_bytes), 0) AS bytes FROM object_references
   WHERE holder = ? OR (holder >= ? AND holder < ?)`,
);
const ADOPT = sql('INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');

/** Directly behind a holder's own name in byte order. */
const JUST_BEHIND = '\u0000';
/** The character behind `/`: every `holder/…` sorts before it. */
const BEHIND_SLASH = '0';

const dropRange = (connection: Connection, range: readonly [string, string], at: number): void => {
  const held = connection.of(HELD).all(...range);
  if (held.length === 0) return;
  connection.of(DROP).run(...range);
  for (const { sha256 } of held) connection.of(MARK).run(at, sha256);
};

/** Drops the references of each of these holders. */
export const dropHolders = (connection: Connection, holders: readonly string[], at: number): void => {
  for (const holder of holders) dropRange(connection, [holder, holder + JUST_BEHIND], at);
};

/** Drops the references of `holder` and of every holder below it (`holder/…`). */
export const dropHolderTree = (connection: Connection, holder: string, at: number): void => {
  dropHolders(connection, [holder], at);
  dropRange(connection, [`${holder}/`, `${holder}${BEHIND_SLASH}`], at);
};

/** Reads of the references to objects. */
export class ObjectReadHandle implements Pick<ObjectReferences, 'hasReference'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async hasReference(namespace: string, sha256: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.connection.of(HAS).get(sha256, namespace) !== undefined);
  }
}

/** `ObjectReferences` inside one write transaction. The time at which the last reference went is kept with the object. */
export class ObjectHandle extends ObjectReadHandle implements ObjectReferences {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async addReference(row: Parameters<ObjectReferences['addReference']>[0]) {
    this.#access.change();
    const { connection } = this.#access;
    if (connection.of(ADD_OBJECT).run(row.sha256, row.sizeBytes, CONDEMNED) === 0) throw objectCondemned(row.sha256);
    connection.of(ADD_REFERENCE).run(row.holder, row.namespace, row.sha256, row.sizeBytes, row.mediaType, row.at);
  }

  async dropReferences(holder: string, at: number) {
    this.#access.change();
    dropHolders(this.#access.connection, [holder], at);
  }

  async reserve(sha256: string, sizeBytes: number, at: number) {
    this.#access.change();
    const { connection } = this.#access;
    const abandoned = CONDEMNED + at - CONDEMNED_FOR_MICROS;
    if (connection.of(RESERVE).run(sha256, sizeBytes, at, abandoned) === 1) return true;
    return connection.of(IS_CONDEMNED).get(sha256) === undefined;
  }

  async condemn(beforeMicros: number, at: number, limit: number) {
    this.#access.change();
    const { connection } = this.#access;
    const found = [
      ...connection.of(LEFT_BEHIND).all(CONDEMNED + at - CONDEMNED_FOR_MICROS, limit),
      ...connection.of(UNREFERENCED).all(beforeMicros, limit),
    ].slice(0, limit);
    for (const { sha256 } of found) connection.of(CONDEMN).run(CONDEMNED + at, sha256);
    return found.map(({ sha256 }) => sha256);
  }

  /** Does nothing for an object that was reserved since. */
  async forget(sha256: string, at: number) {
    this.#access.change();
    this.#access.connection.of(FORGET).run(sha256, CONDEMNED + at);
  }

  /** Of `holder` and every holder below it. */
  async heldBytes(holder: string) {
    this.#access.enter();
    const { connection } = this.#access;
    return connection.of(HELD_BYTES).get(holder, `${holder}/`, `${holder}${BEHIND_SLASH}`)?.bytes ?? 0;
  }

  async adopt(sha256: string, sizeBytes: number, at: number) {
    this.#access.change();
    this.#access.connection.of(ADOPT).run(sha256, sizeBytes, at);
  }
}
