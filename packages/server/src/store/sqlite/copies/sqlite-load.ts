import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Fault, type Log } from '../../../base/index.ts';
import type { DumpRow, DumpTable, StoreLoad } from '../../contracts/index.ts';
import { loadMigrations } from '../../migrations/index.ts';
import { keepPrivate } from '../private-database.ts';
import { migrate } from '../schema/index.ts';
import { fillWords } from '../tables/search/index.ts';

export interface SqliteLoadOptions {
  /** The database to be made; nothing may be there yet. */
  readonly file: string;
  readonly nowMicros: number;
  readonly log: Log;
}

/** What other rows say a second time, for finding (0001, 0003). */
const DERIVED = [
  `INSERT INTO resource_labels (kind, label, value, namespace, parent, name)
     SELECT r.kind, l.key, l.value, r.namespace, r.parent, r.name FROM resources r, json_each(r.labels) l`,
  `INSERT OR IGNORE INTO resource_owners (owner_uid, resource)
     SELECT json_extract(o.value, '$.uid'), r.row FROM resources r, json_each(r.owners) o`,
  `INSERT INTO session_labels (namespace, agent, label, value, session_id)
     SELECT s.namespace, s.agent, l.key, l.value, s.id FROM sessions s, json_each(s.labels) l`,
];

/** A new database at `file`, without a log and unsynced until `finish`: what a crash leaves is never opened. */
export const openSqliteLoad = (options: SqliteLoadOptions): StoreLoad => new SqliteLoad(options);

class SqliteLoad implements StoreLoad {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #columns = new Map<string, ReadonlySet<string>>();
  readonly #statements = new Map<string, StatementSync>();
  #state: 'open' | 'finished' | 'abandoned' = 'open';

  constructor({ file, nowMicros, log }: SqliteLoadOptions) {
    this.#file = file;
    keepPrivate(file);
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY');
    migrate(this.#database, { migrations: loadMigrations('sqlite'), backupDir: '', mode: 'auto', nowMicros, log });
    this.#database.exec('BEGIN');
  }

  async insert(table: DumpTable, rows: readonly DumpRow[]): Promise<void> {
    for (const row of rows) {
      const names = Object.keys(row);
      this.#statement(table, names).run(...names.map((name) => row[name] ?? null));
    }
  }

  async finish(): Promise<void> {
    for (const sql of DERIVED) this.#database.exec(sql);
    fillWords(this.#database);
    this.#database.exec('COMMIT');
    this.#database.close();
    const fd = openSync(this.#file, 'r+');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.#state = 'finished';
  }

  async abandon(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'abandoned';
    if (this.#database.isOpen) this.#database.close();
    rmSync(this.#file, { force: true });
  }

  #statement(table: DumpTable, names: readonly string[]): StatementSync {
    const key = `${table.name} ${names.join(' ')}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const present = this.#columnsOf(table.name);
    const strange = names.find((name) => !present.has(name));
    if (strange !== undefined)
      throw new Fault(
        'FAILED_PRECONDITION',
        'SCHEMA_TOO_OLD',
        `this release has no column ${table.name}.${strange}: install the release that wrote it, or a newer one`,
      );
    const places = names.map(() => '?').join(', ');
    const prepared = this.#database.prepare(`INSERT INTO ${table.name} (${names.join(', ')}) VALUES (${places})`);
    this.#statements.set(key, prepared);
    return prepared;
  }

  #columnsOf(table: string): ReadonlySet<string> {
    let known = this.#columns.get(table);
    if (known === undefined) {
      const rows = this.#database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
      known = new Set(rows.map((row) => String(row['name'])));
      this.#columns.set(table, known);
    }
    return known;
  }
}
