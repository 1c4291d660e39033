/**
 * features/platform/backups/archive: the file that a backup is: a tar of rows (`tables/*.ndjson`), objects (`objects/<sha256>`), sealed
 * keys and, last, a manifest with counts and hashes; compressed with zstd and sealed by a hash over every byte, so that
 * `zstd -d | tar t` reads it and no changed byte passes. Streamed both ways. Knows neither engines nor directories.
 */
export { addKeys } from './add-keys.ts';
export { placeFile } from './archive-entries.ts';
export { readArchive } from './archive-reader.ts';
export { type WrittenArchive, writeArchive } from './archive-writer.ts';
export { type KeyFiles, openKeys, sealKeys } from './key-seal.ts';
export type { Manifest } from './manifest.ts';
