import type { InstanceValues } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Queries, statement } from '../connection/index.ts';
import { rowId } from '../reads/index.ts';

const VALUE = statement<{ value: string }>('SELECT value FROM instance WHERE name = $1');
const LOCK_NAME = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))');
const VALUE_LOCKED = statement<{ value: string }>('SELECT value FROM instance WHERE name = $1 FOR NO KEY UPDATE');
const SET = statement(
  'INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
/** Of a value that was read before: only when it is still what was read. */
const CHANGE = statement('UPDATE instance SET value = $2 WHERE name = $1 AND value = $3');
const REMOVE = statement('DELETE FROM instance WHERE name = $1');
/** Of a value that was read before: only when it is still what was read. */
const REMOVE_SEEN = statement('DELETE FROM instance WHERE name = $1 AND value = $2');
const ADD_VALUE = statement('INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING');

/** A fact that the instance keeps about itself. */
const instanceValue = async (sql: Queries, name: string): Promise<string | undefined> =>
  (await sql.first(VALUE, [name]))?.value;

/** Reads of what the instance keeps about itself. */
export class InstanceReadHandle implements Pick<InstanceValues, 'value'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async value(name: string) {
    return instanceValue(this.#access.sql, name);
  }
}

/** `InstanceValues`: facts the instance keeps about itself. */
export class InstanceHandle implements InstanceValues {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async value(name: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    let found: string | undefined;
    if (reads.isHot(id)) {
      sql.later(LOCK_NAME, [id]);
      found = (await sql.first(VALUE_LOCKED, [name]))?.value;
    } else found = await instanceValue(sql, name);
    reads.sawRow({ table: 'instance', key: [name], seen: found });
    return found;
  }

  async setValue(name: string, value: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    const read = reads.readOf(id);
    if (read === undefined) sql.later(SET, [name, value]);
    else {
      const written =
        read.seen === undefined
          ? await sql.run(ADD_VALUE, [name, value])
          : await sql.run(CHANGE, [name, value, String(read.seen)]);
      if (written === 0) throw reads.stale(id);
    }
    reads.wrote(id);
  }

  async removeValue(name: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    const read = reads.readOf(id);
    // A value that was read as missing stays among the reads, which are checked again before the commit.
    if (read !== undefined && read.seen === undefined) return;
    const removed =
      read === undefined ? await sql.run(REMOVE, [name]) : await sql.run(REMOVE_SEEN, [name, String(read.seen)]);
    if (removed === 1) reads.wrote(id);
    else if (read !== undefined) throw reads.stale(id);
    // Nothing to remove was seen: that is a read, which somebody else's value makes stale.
    else reads.sawRow({ table: 'instance', key: [name], seen: undefined });
  }
}
