import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../fault.ts';

const OWNER_ONLY = 0o700;

/** Code of an error of the operating system, such as `EACCES`; '' for any other error. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'errno' in error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** True for what the system answers when a disk, or the share of a user on it, is full. */
export const isNoRoom = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error));

/**
 * Makes a directory and those above it, each for its owner only. Answers the first one that was made, undefined when all were there.
 * Throws Fault FAILED_PRECONDITION DIRECTORY_UNUSABLE, and RESOURCE_EXHAUSTED STORAGE_FULL, with a text that says what to do.
 */
export const makeDirectory = (path: string): string | undefined => {
  // One by one: the recursive form of Node.js never returns below a file system that refuses new names, as /proc does.
  const missing: string[] = [];
  for (let each = path; !isDirectory(each); each = dirname(each)) missing.push(each);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, OWNER_ONLY);
    } catch (error) {
      // Another process may have made it meanwhile.
      if (systemCode(error) !== 'EEXIST' || !isDirectory(each)) throw pathFault(each, error);
    }
  }
  return missing[0];
};

/** False where nothing is, below a file too: the file itself is reported when its turn comes. */
const isDirectory = (path: string): boolean => {
  let isOne: boolean | undefined;
  try {
    isOne = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch (error) {
    throw pathFault(path, error);
  }
  if (isOne === false) throw unusable(`${path} is a file, not a directory: choose another directory, or move the file`);
  return isOne === true;
};

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'the user of this process may not write there: give it the right, or choose another directory',
  EPERM: 'the user of this process may not write there: give it the right, or choose another directory',
  EROFS: 'its file system is read-only: choose a directory on another one',
  ENOENT: 'its file system does not let directories be made there: choose another directory',
  ENAMETOOLONG: 'the name is too long: choose a shorter one',
  ELOOP: 'too many symbolic links lead there: choose another directory',
};

/** What to do about a file or directory that the system refuses to make or to use. */
export const pathFault = (path: string, cause: unknown): Fault => {
  const code = systemCode(cause);
  if (isNoRoom(cause))
    return new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', `the disk of ${path} is full: make room`, { cause });
  return unusable(`${path} cannot be used: ${ADVICE[code] ?? `${String(cause)}; choose another directory`}`, cause);
};

const unusable = (message: string, cause?: unknown): Fault =>
  new Fault('FAILED_PRECONDITION', 'DIRECTORY_UNUSABLE', message, cause === undefined ? {} : { cause });
