import type { ArtifactReads, ArtifactRow, ArtifactWrites } from '../../contracts/index.ts';
import { type ArtifactSqlRow, LAST_ID, toArtifact } from '../../rows/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { statement } from '../connection/index.ts';

const GET = statement<ArtifactSqlRow>('SELECT id, session_id, body FROM artifacts WHERE id = $1');
const LIST = statement<ArtifactSqlRow>(
  'SELECT id, session_id, body FROM artifacts WHERE session_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3',
);
const PUT = statement(
  'INSERT INTO artifacts (id, session_id, body) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
);
const REMOVE = statement('DELETE FROM artifacts WHERE id = $1');

/** `ArtifactReads`: of one snapshot, or each read alone. */
export class ArtifactReadHandle implements ArtifactReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async get(id: string) {
    const row = await this.#access.sql.first(GET, [id]);
    return row === undefined ? undefined : toArtifact(row);
  }

  async list(sessionId: string, before: string | undefined, limit: number) {
    return (await this.#access.sql.rows(LIST, [sessionId, before ?? LAST_ID, limit])).map(toArtifact);
  }
}

/** `ArtifactWrites` inside one write transaction. */
export class ArtifactWriteHandle extends ArtifactReadHandle implements ArtifactWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async put(row: ArtifactRow) {
    this.#access.sql.later(PUT, [row.id, row.sessionId, row.body]);
  }

  async remove(id: string) {
    this.#access.sql.later(REMOVE, [id]);
  }
}
