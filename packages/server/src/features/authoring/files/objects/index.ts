/**
 * features/authoring/files/objects: bytes by content: stored, named per namespace, linked to, sent in whole or in part, and collected
 * when no one names them. Knows nothing of files and artifacts, which name them. Called by features/authoring/files only.
 */
export { objectIn, objectKey, StoredObjects } from './object-access.ts';
export { ObjectCollector } from './object-collector.ts';
export { LinkKey, ObjectLinks, SEALED_LINK_KEY } from './object-links.ts';
export { sendObject } from './send-object.ts';
