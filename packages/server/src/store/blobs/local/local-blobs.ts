import { Buffer } from 'node:buffer';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log, Random } from '../../../base/index.ts';
import { type BlobStore, isObjectHash, objectDamaged, objectNotFound } from '../../contracts/index.ts';
import { FullDisk } from '../../rows/index.ts';
import { type ByteRange, type ObjectFile, objectSize, readRange, readWhole } from './object-reader.ts';
import { placeObject, writeObject } from './object-writer.ts';

export interface LocalBlobsOptions {
  /** The `objects` directory; made when missing. */
  readonly dir: string;
  readonly random: Random;
  /** True while another process uses the directory: nothing of it is removed, and nothing may be put. */
  readonly isReader?: boolean;
  /** What was last written before this time (Unix milliseconds) is a leftover. Default: everything; no other process may use it. */
  readonly leftBeforeMs?: number;
  /** Where it is logged that the disk is full, and that it has room again; absent for tools that say so themselves. */
  readonly report?: { readonly log: Pick<Log, 'error' | 'warn'>; readonly monotonicMs: () => number };
}

const HASH_CHARS = 64;

/**
 * Objects as files `sha256/<2>/<2>/<hash>[.zst]`: written to `tmp/`, synced, renamed, directory synced. Files an earlier
 * process left in `tmp/` are removed.
 */
export const createLocalBlobs = (options: LocalBlobsOptions): BlobStore => {
  const tmp = join(options.dir, 'tmp');
  if (options.isReader === true) return new LocalBlobs(options.dir, temporaryNames(tmp, options.random));
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  const { leftBeforeMs = Number.POSITIVE_INFINITY } = options;
  for (const file of readdirSync(tmp).map((name) => join(tmp, name)))
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < leftBeforeMs) rmSync(file, { force: true });
  return new LocalBlobs(options.dir, temporaryNames(tmp, options.random), options.report);
};

class LocalBlobs implements BlobStore {
  readonly #dir: string;
  readonly #nextTemporary: () => string;
  readonly #report: LocalBlobsOptions['report'];
  readonly #disk: FullDisk | undefined;

  constructor(dir: string, nextTemporary: () => string, report?: LocalBlobsOptions['report']) {
    this.#dir = dir;
    this.#nextTemporary = nextTemporary;
    this.#report = report;
    this.#disk = report === undefined ? undefined : new FullDisk(report.log);
  }

  async put(bytes: Uint8Array | AsyncIterable<Uint8Array>, options: { readonly limitBytes?: number } = {}) {
    const nowMs = this.#report?.monotonicMs ?? (() => 0);
    try {
      const stored = await this.#put(bytes, options);
      this.#disk?.noteCommit(nowMs());
      return stored;
    } catch (error) {
      this.#disk?.noteFailure(error, nowMs());
      throw error;
    }
  }

  async #put(bytes: Uint8Array | AsyncIterable<Uint8Array>, options: { readonly limitBytes?: number }) {
    const limitBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
    const written = await writeObject(this.#nextTemporary(), bytes, limitBytes);
    const path = this.#path(written.sha256);
    try {
      await placeObject(written, written.isCompressed ? `${path}.zst` : path);
    } catch (error) {
      await rm(written.file, { force: true });
      throw error;
    }
    return { sha256: written.sha256, sizeBytes: written.sizeBytes };
  }

  async read(sha256: string): Promise<Uint8Array> {
    const object = await this.#find(sha256);
    // Copied as it comes: memory that is written for the first time costs so much that joining it at the end would hold up others.
    const room = Buffer.allocUnsafeSlow(await objectSize(object));
    let size = 0;
    for await (const chunk of readWhole(object)) {
      if (size + chunk.byteLength > room.length) throw objectDamaged(sha256);
      room.set(chunk, size);
      size += chunk.byteLength;
    }
    return room.subarray(0, size);
  }

  async *stream(sha256: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const object = await this.#find(sha256);
    if (range === undefined || (range.start <= 0 && range.end >= (await objectSize(object)))) yield* readWhole(object);
    else yield* readRange(object, { start: Math.max(0, range.start), end: range.end });
  }

  async stat(sha256: string) {
    const object = await this.#locate(sha256);
    return object === undefined ? undefined : { sizeBytes: await objectSize(object) };
  }

  async delete(sha256: string): Promise<void> {
    if (!isObjectHash(sha256)) return;
    const path = this.#path(sha256);
    await rm(path, { force: true });
    await rm(`${path}.zst`, { force: true });
  }

  async list(after: string, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    const root = join(this.#dir, 'sha256');
    for (const first of await namesIn(root, after.slice(0, 2))) {
      const isEdge = after.startsWith(first);
      for (const second of await namesIn(join(root, first), isEdge ? after.slice(2, 4) : '')) {
        const names = await namesIn(join(root, first, second), '');
        const hashes = new Set(names.map((name) => name.slice(0, HASH_CHARS)));
        found.push(...[...hashes].filter((hash) => isObjectHash(hash) && hash > after));
        if (found.length >= limit) return found.slice(0, limit);
      }
    }
    return found;
  }

  #path(sha256: string): string {
    return join(this.#dir, 'sha256', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  }

  async #find(sha256: string): Promise<ObjectFile> {
    const object = await this.#locate(sha256);
    if (object === undefined) throw objectNotFound(sha256);
    return object;
  }

  async #locate(sha256: string): Promise<ObjectFile | undefined> {
    if (!isObjectHash(sha256)) return undefined;
    const path = this.#path(sha256);
    if (await exists(path)) return { sha256, file: path, isCompressed: false };
    if (await exists(`${path}.zst`)) return { sha256, file: `${path}.zst`, isCompressed: true };
    return undefined;
  }
}

const exists = async (file: string): Promise<boolean> => {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};

/** Names in a folder from `from` on, sorted; none of a folder that is not there. */
const namesIn = async (folder: string, from: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((name) => name >= from).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** Names that no other put of this process has; leftovers of earlier processes were removed. */
const temporaryNames = (tmp: string, random: Random): (() => string) => {
  const prefix = Buffer.from(random.fill(new Uint8Array(6))).toString('hex');
  let count = 0;
  return () => join(tmp, `${prefix}-${count++}`);
};
