/**
 * features/files: object bytes as the product uses them: stored by content, named per namespace, collected when nobody
 * refers to them; the kind File with uploads, downloads, retention and its place in the search index; artifacts of sessions (PL-7). Owns the
 * runtime's ObjectAccess and the collector; bytes themselves lie in a BlobStore engine. Called by runtime and sessions
 * through ObjectAccess; app wires it.
 */
export { type ArtifactsFeature, artifactsFeature } from './artifact-operations.ts';
export type { Artifacts, NewArtifact } from './artifacts.ts';
export { fileContract } from './file-kind.ts';
export { type FilesFeature, filesFeature } from './file-operations.ts';
export type { FileReads } from './file-reads.ts';
export { type DocumentForm, workspacePlaces } from './file-text.ts';
export { FileWorker, fileController } from './file-worker.ts';
export type { FileWrites } from './file-writes.ts';
export type { FilesDeps } from './files-deps.ts';
export { objectKey, StoredObjects } from './object-access.ts';
export { ObjectCollector } from './object-collector.ts';
export { linkKey, ObjectLinks } from './object-links.ts';
export { UploadSignatures } from './upload-signatures.ts';
