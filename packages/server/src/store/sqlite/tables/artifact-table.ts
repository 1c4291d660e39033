import type { ArtifactRow } from '../../contracts/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

const PUT = `INSERT INTO artifacts (id, session_id, body) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
const GET = 'SELECT id, session_id, body FROM artifacts WHERE id = ?';
const LIST = `SELECT id, session_id, body FROM artifacts WHERE session_id = ? AND id < ? ORDER BY id DESC ${LIMIT}`;
const IDS = 'SELECT id FROM artifacts WHERE session_id = ?';
const REMOVE = 'DELETE FROM artifacts WHERE id = ?';
/** Behind every id in byte order. */
const END = '\u{10ffff}';

interface ArtifactSqlRow {
  readonly id: string;
  readonly session_id: string;
  readonly body: string;
}

/** Artifacts by id and by session. */
export class ArtifactTable {
  readonly #put: Statement;
  readonly #get: Statement<ArtifactSqlRow>;
  readonly #list: Statement<ArtifactSqlRow>;
  readonly #ids: Statement<{ id: string }>;
  readonly #remove: Statement;

  constructor(connection: Connection) {
    this.#put = connection.statement(PUT);
    this.#get = connection.statement(GET);
    this.#list = connection.statement(LIST);
    this.#ids = connection.statement(IDS);
    this.#remove = connection.statement(REMOVE);
  }

  put(row: ArtifactRow): void {
    this.#put.run(row.id, row.sessionId, row.body);
  }

  get(id: string): ArtifactRow | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : artifactRow(row);
  }

  list(sessionId: string, before: string | undefined, limit: number): ArtifactRow[] {
    return this.#list.all(sessionId, before ?? END, limit).map(artifactRow);
  }

  idsOf(sessionId: string): string[] {
    return this.#ids.all(sessionId).map((row) => row.id);
  }

  remove(id: string): void {
    this.#remove.run(id);
  }
}

const artifactRow = (row: ArtifactSqlRow): ArtifactRow => ({ id: row.id, sessionId: row.session_id, body: row.body });
