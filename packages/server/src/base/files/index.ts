/**
 * base/files: directories that svc makes, and files that only their owner reads. Knows nothing of what they hold. Called by whatever
 * keeps a file of its own: the embedded store, keys, backups.
 */
export * from './make-directory.ts';
export * from './private-file.ts';
