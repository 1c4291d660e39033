/**
 * base/files: creates directories, and files that only their owner reads. Knows nothing about their contents. Used by all code that
 * keeps files of its own: the embedded store, keys, backups.
 */
export * from './make-directory.ts';
export * from './private-file.ts';
