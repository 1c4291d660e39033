import type { Log, LogFields } from '../../base/index.ts';
import { DISK_FULL_TEXT, isStorageFull } from '../../store/contracts/index.ts';

/**
 * A log without lines that only repeat that the disk of the store is full. Everything that writes fails then, in every loop and every
 * call; the store itself reports it once, and once more when there is room again.
 */
export const quietLog = (log: Log): Log => {
  const unlessFull =
    (line: (message: string, fields?: LogFields, error?: unknown) => void) =>
    (message: string, fields?: LogFields, error?: unknown): void => {
      if (!isStorageFull(error) && !quotesFullDisk(fields)) line(message, fields, error);
    };
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: unlessFull((message, fields) => log.warn(message, fields)),
    error: unlessFull((message, fields, error) => log.error(message, fields, error)),
  };
};

const quotesFullDisk = (fields: LogFields | undefined): boolean =>
  fields !== undefined &&
  Object.values(fields).some(
    (value) => typeof value === 'string' && (value === 'STORAGE_FULL' || value.includes(DISK_FULL_TEXT)),
  );
