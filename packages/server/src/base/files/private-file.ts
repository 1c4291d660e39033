import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../fault.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** Errors of file systems without hard links; there the file is written in place, and is complete once it is closed. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file a second name; `node:fs` implements it. */
export type MakeLink = (existing: string, fresh: string) => Promise<void>;

/** FAILED_PRECONDITION KEY_FILE. */
export const keyFileUnusable = (path: string, why: string, cause?: unknown): Fault =>
  new Fault('FAILED_PRECONDITION', 'KEY_FILE', `key file ${path} ${why}`, cause === undefined ? {} : { cause });

/** The text of a key file; undefined when there is none. Throws KEY_FILE when users other than its owner may read it. */
export const readPrivateFile = async (path: string, platform = process.platform): Promise<string | undefined> => {
  const facts = await stat(path).catch(absent);
  if (facts === undefined) return undefined;
  if (platform !== 'win32' && (facts.mode & OTHERS) !== 0)
    throw keyFileUnusable(path, `may be read by others: run chmod 600 ${path}`);
  const file = await open(path, 'r');
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

/**
 * Creates a key file, unless another process was first; no process ever sees it incomplete. Returns the text that is in it then,
 * which is on disk when this resolves. `draft`: a name that no other process uses; `makeLink` and `platform` replace those of
 * the system in tests.
 */
export const makePrivateFile = async (
  path: string,
  text: string,
  how: { readonly draft: string; readonly makeLink?: MakeLink; readonly platform?: NodeJS.Platform },
): Promise<string> => {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeWhole(how.draft, text, 'wx');
  try {
    await (how.makeLink ?? link)(how.draft, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.includes(error.code)) throw error;
      await writeWhole(path, text, 'wx');
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(how.draft, { force: true });
  }
  await syncDirectory(directory, how.platform);
  const present = await readPrivateFile(path, how.platform);
  if (present === undefined) throw keyFileUnusable(path, 'went while it was made');
  return present;
};

/**
 * Replaces the file atomically; the text is on disk when this resolves. Otherwise throws KEY_FILE, and leaves nothing next to
 * the file.
 */
export const replacePrivateFile = async (path: string, text: string): Promise<void> => {
  const fresh = `${path}.new`;
  try {
    await writeWhole(fresh, text, 'w');
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw keyFileUnusable(path, `cannot be replaced: ${(error as Error).message}`, error);
  }
  await syncDirectory(dirname(path));
};

/** `wx` fails with EEXIST when the file exists. */
const writeWhole = async (path: string, text: string, how: 'w' | 'wx'): Promise<void> => {
  const file = await open(path, how, OWNER_ONLY);
  try {
    await file.chmod(OWNER_ONLY);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

const syncDirectory = async (directory: string, platform = process.platform): Promise<void> => {
  // Windows cannot open directories.
  if (platform !== 'win32') {
    const handle = await open(directory, 'r');
    await handle.sync().finally(() => handle.close());
  }
};
