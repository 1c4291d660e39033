import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../fault.ts';

const OWNER_ONLY = 0o700;

/** Code of an error of the operating system, such as `EACCES`; '' for any other error. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'errno' in error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** True for the errors of a full disk or an exhausted quota. */
export const isNoRoom = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error));

/**
 * Creates a directory and its parents, readable by the owner only. Returns the first one that was created, undefined when all existed.
 * Throws Fault FAILED_PRECONDITION DIRECTORY_UNUSABLE, and RESOURCE_EXHAUSTED STORAGE_FULL, with a text that says what to do.
 */
export const makeDirectory = (path: string): string | undefined => {
  // One by one: the recursive form of Node.js never returns on a file system that refuses new names, such as /proc.
  const missing: string[] = [];
  for (let each = path; !isDirectory(each); each = dirname(each)) missing.push(each);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, OWNER_ONLY);
    } catch (error) {
      // Another process may have created it meanwhile.
      if (systemCode(error) !== 'EEXIST' || !isDirectory(each)) throw pathFault(each, error);
    }
  }
  return missing[0];
};

/** False when nothing exists there, also below a file: the file itself is reported when its turn comes. */
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

/** What to do when the system refuses to create or use a file or directory. */
export const pathFault = (path: string, cause: unknown): Fault => {
  const code = systemCode(cause);
  if (isNoRoom(cause))
    return new Fault('RESOURCE_EXHAUSTED', 'STORAGE_FULL', `the disk of ${path} is full: make room`, { cause });
  return unusable(`${path} cannot be used: ${ADVICE[code] ?? `${String(cause)}; choose another directory`}`, cause);
};

const unusable = (message: string, cause?: unknown): Fault =>
  new Fault('FAILED_PRECONDITION', 'DIRECTORY_UNUSABLE', message, cause === undefined ? {} : { cause });
