import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { type ApplyOptions, apply } from '../manifests/index.ts';
import { isArchive } from './archive-lines.ts';
import { importArchive } from './import-archive.ts';

/** Bytes that distinguish an archive from manifests. */
const START_BYTES = 64;

/**
 * `svc import FILE`: imports what `svc export` wrote, with or without --data, one resource at a time, and continues after a failure.
 * Uids are kept.
 */
export const importFile = async (host: Host, file: string, options: ApplyOptions): Promise<void> => {
  const path = resolve(host.cwd, file);
  const isDirectory = host.files.facts(path)?.isDirectory === true;
  const blob = file === '-' || isDirectory ? undefined : await host.files.openBlob(path);
  if (blob === undefined && file !== '-' && !isDirectory) throw new CommandFailure(`there is no ${file}`);
  if (blob !== undefined && isArchive(await blob.slice(0, START_BYTES).text()))
    return importArchive(host, blob, options);
  return apply(host, { ...options, filename: [file], atomic: false, keepGoing: true, keepsUids: true });
};
