/**
 * features/authoring/files: object bytes as the product uses them: stored by content, named per namespace, collected when no one
 * refers to them; the kind File with uploads, downloads, retention and its place in the search index; artifacts of sessions. Owns the
 * runtime's ObjectAccess and the collector; bytes themselves lie in a BlobStore engine. Called by runtime and sessions
 * through ObjectAccess; app wires it.
 */
export { filesModule } from './files-module.ts';
export { htmlText } from './html-text.ts';
export { StoredObjects } from './objects/index.ts';
