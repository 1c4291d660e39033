import { Fault } from '../../../../base/index.ts';

/** The archive is not what was written; `why` begins with "it", "its" or names a part. */
export const archiveDamaged = (why: string, cause?: unknown): Fault =>
  new Fault('DATA_LOSS', 'ARCHIVE_DAMAGED', `the archive is damaged: ${why}`, cause === undefined ? {} : { cause });

/** What was handed in was never an archive of svc. */
export const notAnArchive = (why: string, cause?: unknown): Fault =>
  new Fault(
    'INVALID_ARGUMENT',
    'ARCHIVE_UNKNOWN',
    `this is not a backup of svc: ${why}`,
    cause === undefined ? {} : { cause },
  );
