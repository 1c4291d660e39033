import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/index.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** What SQLite keeps next to a database. It makes these files with the mode of the database. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Makes the file of a database where it is missing, and takes the rights of others from it and from the files next to it: they hold
 * messages, names and hashes, in a directory that may be open to others.
 */
export const keepPrivate = (file: string): void => {
  makeMissing(file);
  for (const path of [file, ...COMPANIONS.map((end) => `${file}${end}`)]) restrict(path);
};

/** The same for copies of a database that lie in a directory; nothing is made. */
export const keepCopiesPrivate = (directory: string, form: RegExp): void => {
  for (const name of readdirSync(directory)) if (form.test(name)) restrict(join(directory, name));
};

/** An existing file is not opened: closing it would give up the locks that this process holds on it. */
const makeMissing = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
};

const restrict = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (process.platform === 'win32' || found?.isFile() !== true) return;
  if ((found.mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
};
