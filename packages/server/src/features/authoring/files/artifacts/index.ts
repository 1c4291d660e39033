/**
 * features/authoring/files/artifacts: what agents make in their sessions: kept in the store next to the session and gone with it,
 * granted to others, promoted to files. Writes no files itself. Called by features/authoring/files and its tools only.
 */
export { artifactMessage, artifactUri, type StoredArtifact } from './artifact-facts.ts';
export { artifactsFeature } from './artifact-operations.ts';
export type { Artifacts } from './artifacts.ts';
