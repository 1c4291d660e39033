import { CONDEMNED, CONDEMNED_FOR_MICROS, objectCondemned } from '../../contracts/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

export interface ObjectReference {
  readonly namespace: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly holder: string;
  readonly at: number;
}

const ADD_OBJECT = `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, 0)
  ON CONFLICT DO UPDATE SET unreferenced_at = 0 WHERE unreferenced_at < ?`;
const RESERVE = `INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET unreferenced_at = excluded.unreferenced_at WHERE unreferenced_at > 0 AND unreferenced_at < ?`;
const IS_CONDEMNED = 'SELECT 1 AS found FROM objects WHERE sha256 = ? AND unreferenced_at > 0';
const ADD_REFERENCE = `INSERT INTO object_references (holder, namespace, sha256, size_bytes, media_type, at) VALUES (?,?,?,?,?,?)
  ON CONFLICT DO NOTHING`;
const HELD = 'SELECT DISTINCT sha256 FROM object_references WHERE holder >= ? AND holder < ?';
const DROP = 'DELETE FROM object_references WHERE holder >= ? AND holder < ?';
const MARK = `UPDATE objects SET unreferenced_at = ? WHERE sha256 = ?
  AND NOT EXISTS (SELECT 1 FROM object_references r WHERE r.sha256 = objects.sha256)`;
const HAS = 'SELECT 1 AS found FROM object_references WHERE sha256 = ? AND namespace = ? LIMIT 1';
const UNREFERENCED = `SELECT sha256 FROM objects WHERE unreferenced_at > 0 AND unreferenced_at < ?
  ORDER BY unreferenced_at ${LIMIT}`;
const LEFT_BEHIND = `SELECT sha256 FROM objects WHERE unreferenced_at > ${CONDEMNED} AND unreferenced_at < ?
  ORDER BY unreferenced_at ${LIMIT}`;
const CONDEMN = 'UPDATE objects SET unreferenced_at = ? WHERE sha256 = ?';
const FORGET = 'DELETE FROM objects WHERE sha256 = ? AND unreferenced_at = ?';
const HELD_BYTES = `SELECT COALESCE(SUM(size_bytes), 0) AS bytes FROM object_references
  WHERE holder = ? OR (holder >= ? AND holder < ?)`;
const ADOPT = 'INSERT INTO objects (sha256, size_bytes, unreferenced_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';

/** Directly behind a holder's own name in byte order. */
const JUST_BEHIND = '\u0000';
/** The character behind `/`: every `holder/…` sorts before it. */
const BEHIND_SLASH = '0';

/** Objects and who refers to them. The time at which the last reference went is kept with the object. */
export class ObjectTable {
  readonly #addObject: Statement;
  readonly #addReference: Statement;
  readonly #held: Statement<{ sha256: string }>;
  readonly #drop: Statement;
  readonly #mark: Statement;
  readonly #has: Statement<{ found: number }>;
  readonly #reserve: Statement;
  readonly #isCondemned: Statement<{ found: number }>;
  readonly #unreferenced: Statement<{ sha256: string }>;
  readonly #leftBehind: Statement<{ sha256: string }>;
  readonly #condemn: Statement;
  readonly #forget: Statement;
  readonly #heldBytes: Statement<{ bytes: number }>;
  readonly #adopt: Statement;

  constructor(connection: Connection) {
    this.#addObject = connection.statement(ADD_OBJECT);
    this.#addReference = connection.statement(ADD_REFERENCE);
    this.#held = connection.statement(HELD);
    this.#drop = connection.statement(DROP);
    this.#mark = connection.statement(MARK);
    this.#has = connection.statement(HAS);
    this.#reserve = connection.statement(RESERVE);
    this.#isCondemned = connection.statement(IS_CONDEMNED);
    this.#unreferenced = connection.statement(UNREFERENCED);
    this.#leftBehind = connection.statement(LEFT_BEHIND);
    this.#condemn = connection.statement(CONDEMN);
    this.#forget = connection.statement(FORGET);
    this.#heldBytes = connection.statement(HELD_BYTES);
    this.#adopt = connection.statement(ADOPT);
  }

  add(row: ObjectReference): void {
    if (this.#addObject.run(row.sha256, row.sizeBytes, CONDEMNED) === 0) throw objectCondemned(row.sha256);
    this.#addReference.run(row.holder, row.namespace, row.sha256, row.sizeBytes, row.mediaType, row.at);
  }

  drop(holder: string, at: number): void {
    this.#dropRange(holder, holder + JUST_BEHIND, at);
  }

  /** Drops the references of `holder` and of every holder below it (`holder/…`). */
  dropTree(holder: string, at: number): void {
    this.drop(holder, at);
    this.#dropRange(`${holder}/`, `${holder}${BEHIND_SLASH}`, at);
  }

  has(namespace: string, sha256: string): boolean {
    return this.#has.get(sha256, namespace) !== undefined;
  }

  reserve(sha256: string, sizeBytes: number, at: number): boolean {
    if (this.#reserve.run(sha256, sizeBytes, at, CONDEMNED + at - CONDEMNED_FOR_MICROS) === 1) return true;
    return this.#isCondemned.get(sha256) === undefined;
  }

  condemn(beforeMicros: number, at: number, limit: number): string[] {
    const found = [
      ...this.#leftBehind.all(CONDEMNED + at - CONDEMNED_FOR_MICROS, limit),
      ...this.#unreferenced.all(beforeMicros, limit),
    ].slice(0, limit);
    for (const { sha256 } of found) this.#condemn.run(CONDEMNED + at, sha256);
    return found.map(({ sha256 }) => sha256);
  }

  /** Does nothing for an object that was reserved since. */
  forget(sha256: string, at: number): void {
    this.#forget.run(sha256, CONDEMNED + at);
  }

  /** Of `holder` and every holder below it. */
  heldBytes(holder: string): number {
    return this.#heldBytes.get(holder, `${holder}/`, `${holder}${BEHIND_SLASH}`)?.bytes ?? 0;
  }

  adopt(sha256: string, sizeBytes: number, at: number): void {
    this.#adopt.run(sha256, sizeBytes, at);
  }

  #dropRange(from: string, to: string, at: number): void {
    const held = this.#held.all(from, to);
    if (held.length === 0) return;
    this.#drop.run(from, to);
    for (const { sha256 } of held) this.#mark.run(at, sha256);
  }
}
