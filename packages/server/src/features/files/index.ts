/**
 * features/files: object bytes as the product uses them: stored by content, named per namespace, collected when nobody
 * refers to them. Owns the runtime's ObjectAccess and the collector; bytes themselves lie in a BlobStore engine.
 * Called by runtime and sessions through ObjectAccess; app wires it.
 */
export { objectKey, StoredObjects } from './object-access.ts';
export { ObjectCollector } from './object-collector.ts';
export { linkKey, ObjectLinks } from './object-links.ts';
