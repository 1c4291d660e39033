import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../../base/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** Below this a busy server fills the disk within hours. */
const LOW_BYTES = 1024 ** 3;
const FULL_BYTES = 100 * 1024 ** 2;
/** A commit may need as much. */
const NOTHING_BYTES = 1024 ** 2;
const OTHERS = 0o077;
const EVERYONE = 0o007;

export interface DataDirectoryFacts {
  readonly dataDir: string;
  /** True when the keys of secrets are in the key file, not in the configuration. */
  readonly usesKeyFile: boolean;
}

/** The data directory, the key files in it, and the room that is left. */
export const checkDataDirectory = async (facts: DataDirectoryFacts): Promise<readonly Check[]> => {
  const { dataDir, usesKeyFile } = facts;
  const [master, tokens] = ['master.json', 'tokens.json'].map((name) => join(dataDir, 'keys', name)) as [
    string,
    string,
  ];
  // The second was made by a release before; anyone who reads it can sign tokens all the same.
  const files = [...(usesKeyFile ? [master] : []), ...(existsSync(tokens) ? [tokens] : [])];
  return [
    await checkDirectory(dataDir),
    ...(await Promise.all(files.map((path) => checkKeyFile(path)))),
    await checkDisk(dataDir),
  ];
};

const checkDirectory = async (dataDir: string): Promise<Check> => {
  const name = 'data directory';
  try {
    await access(dataDir, constants.R_OK | constants.W_OK);
    const { mode } = await stat(dataDir);
    const isOpen = process.platform !== 'win32' && (mode & EVERYONE) !== 0;
    return isOpen ? warn(name, `${dataDir} is open to every user`, `chmod 700 ${dataDir}`) : ok(name, dataDir);
  } catch (error) {
    return fail(name, `${dataDir}: ${errorText(error)}`, `give the user of the server the right to write ${dataDir}`);
  }
};

const checkKeyFile = async (path: string): Promise<Check> => {
  const name = 'key file';
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
      return fail(name, `${path} may be read by others`, `chmod 600 ${path}`);
    return ok(name, path);
  } catch (error) {
    return fail(name, `${path}: ${errorText(error)}`, 'restore it from a backup before the server stops');
  }
};

const checkDisk = async (dataDir: string): Promise<Check> => {
  const name = 'disk';
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    if (free < NOTHING_BYTES) return fail(name, 'full', 'make room: writes are refused');
    if (free < FULL_BYTES) return fail(name, text, 'make room: writes will be refused soon');
    return free < LOW_BYTES ? warn(name, text, 'make room, or move dataDir') : ok(name, text);
  } catch (error) {
    return warn(name, errorText(error), 'look at the disk by hand');
  }
};
