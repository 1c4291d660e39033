import { withoutHalfCharacters } from '../../base/index.ts';
import type { ArtifactRow } from '../contracts/index.ts';

export interface ArtifactSqlRow {
  readonly id: string;
  readonly session_id: string;
  readonly body: string;
}

/** The artifact that a row stores. */
export const toArtifact = (row: ArtifactSqlRow): ArtifactRow => ({
  id: row.id,
  sessionId: row.session_id,
  body: withoutHalfCharacters(row.body),
});
