import type { InstanceValues } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Connection, sql } from '../connection.ts';

const VALUE = sql<{ readonly value: string }>('SELECT value FROM instance WHERE name = ?');
const SET = sql('INSERT INTO instance (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
const REMOVE = sql('DELETE FROM instance WHERE name = ?');

/** A fact that the instance keeps about itself. */
export const instanceValue = (connection: Connection, name: string): string | undefined =>
  connection.of(VALUE).get(name)?.value;

/** Writes a fact that the instance keeps about itself. */
export const setInstanceValue = (connection: Connection, name: string, value: string): void => {
  connection.of(SET).run(name, value);
};

/** Reads of what the instance keeps about itself. */
export class InstanceReadHandle implements Pick<InstanceValues, 'value'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async value(name: string) {
    this.#access.enter();
    return this.#access.leave(instanceValue(this.#access.connection, name));
  }
}

/** `InstanceValues`: facts the instance keeps about itself. */
export class InstanceHandle extends InstanceReadHandle implements InstanceValues {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async setValue(name: string, value: string) {
    this.#access.change();
    setInstanceValue(this.#access.connection, name, value);
  }

  async removeValue(name: string) {
    this.#access.change();
    this.#access.connection.of(REMOVE).run(name);
  }
}
