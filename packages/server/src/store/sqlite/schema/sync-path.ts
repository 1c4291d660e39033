import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts a file, or the names in a folder, on disk. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
