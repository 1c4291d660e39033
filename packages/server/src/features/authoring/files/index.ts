/**
 * features/authoring/files: object bytes as the product uses them: stored by content, named per namespace, collected when no one
 * refers to them; the kind File with uploads, downloads, retention and its place in the search index; artifacts of sessions. Owns the
 * runtime's ObjectAccess and the collector; bytes themselves lie in a BlobStore engine. Called by runtime and sessions
 * through ObjectAccess; app wires it.
 */
export { type Artifacts, artifactsFeature } from './artifacts/index.ts';
export { fileContract } from './file-kind.ts';
export { type FilesFeature, filesFeature } from './file-operations.ts';
export type { DocumentForm } from './file-text.ts';
export { FileWorker, fileController } from './file-worker.ts';
export { linkKey, ObjectCollector, ObjectLinks, SEALED_LINK_KEY, StoredObjects } from './objects/index.ts';
export { PdfTexts } from './pdf/index.ts';
export { UploadSignatures } from './transfers/index.ts';
