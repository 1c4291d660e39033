import { isUtf8 } from 'node:buffer';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openAsBlob,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { CommandFailure } from '../failure.ts';
import type { Files } from '../host.ts';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The result of `read`, undefined when the path does not exist; other errors are left to the caller. */
const unlessMissing = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Bytes as text; other encodings are refused, because reading them would silently change the content. `source` names them. */
export const utf8Text = (bytes: Uint8Array, source: string): string => {
  if (!isUtf8(bytes)) throw new CommandFailure(`${source} is not UTF-8 text`, { hint: 'save it as UTF-8' });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
};

const PRIVATE_DIRECTORY = 0o700;

/** One by one: the recursive form of Node.js never returns on a file system that refuses new names, such as /proc. */
const makeDirectories = (path: string, mode?: number): void => {
  const missing: string[] = [];
  for (let each = path; !existsSync(each); each = dirname(each)) missing.push(each);
  if (missing.length === 0) makeUnlessThere(path, mode);
  for (const each of missing.reverse()) makeUnlessThere(each, mode);
};

/** Another process may have created it meanwhile. */
const makeUnlessThere = (path: string, mode: number | undefined): void => {
  if (isDirectory(path)) return;
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
};

const isDirectory = (path: string): boolean => unlessMissing(() => statSync(path))?.isDirectory() === true;

/** The disk of this machine. */
export const realFiles: Files = {
  readText: (path) => unlessMissing(() => utf8Text(readFileSync(path), path)),
  readBytes: (path) => unlessMissing(() => new Uint8Array(readFileSync(path))),
  writeText: (path, text, mode) => {
    makeDirectories(dirname(path), PRIVATE_DIRECTORY);
    const draft = `${path}.${process.pid}.new`;
    try {
      // The mode applies from the first byte: a credential is never readable by others, not even for a moment.
      writeFileSync(draft, text, { mode, flag: 'wx' });
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  },
  writePieces: async (path, pieces, mode) => {
    makeDirectories(dirname(path));
    const draft = `${path}.${process.pid}.new`;
    try {
      const file = await open(draft, 'wx', mode);
      try {
        await file.writeFile(pieces);
      } finally {
        await file.close();
      }
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  },
  openBlob: async (path) => (unlessMissing(() => statSync(path)) === undefined ? undefined : openAsBlob(path)),
  makeTemporaryDirectory: () => mkdtempSync(join(tmpdir(), 'svc-')),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
  makeDirectory: makeDirectories,
  list: (path) => unlessMissing(() => readdirSync(path)) ?? [],
  facts: (path) =>
    unlessMissing(() => {
      const facts = statSync(path);
      return { isDirectory: facts.isDirectory(), mode: facts.mode & 0o777, sizeBytes: facts.size };
    }),
  isWritable: (path) => {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  },
  freeBytes: (path) =>
    unlessMissing(() => {
      const disk = statfsSync(path);
      return disk.bavail * disk.bsize;
    }),
};
