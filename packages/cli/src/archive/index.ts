/**
 * archive: `svc export` and `svc import`: everything that can be written as manifests, or with --data as one archive of lines with
 * files, sessions and messages too. Manifests are applied by the folder manifests, files stored by stored-files.
 */
export { type ExportOptions, exportAll } from './export.ts';
export { importFile } from './import.ts';
