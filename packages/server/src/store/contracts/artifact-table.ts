/** Artifacts that sessions own. What an artifact is, and who may use it, is the feature's matter. */
export interface ArtifactRow {
  /** UUIDv7: id order is age. */
  readonly id: string;
  readonly sessionId: string;
  /** JSON. */
  readonly body: string;
}

/** Who holds the bytes of an artifact; the reference goes with the row when its session is deleted. */
export const artifactHolder = (id: string): string => `artifact/${id}`;

export interface ArtifactReads {
  get(id: string): Promise<ArtifactRow | undefined>;
  /** Newest first, those older than `before` (exclusive). */
  list(sessionId: string, before: string | undefined, limit: number): Promise<readonly ArtifactRow[]>;
}

export interface ArtifactWrites extends ArtifactReads {
  /** Inserts, or replaces the body of the one with this id. */
  put(row: ArtifactRow): Promise<void>;
  /** Removes the row; its object reference is the caller's. Deleting a session removes both. */
  remove(id: string): Promise<void>;
}
