import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, copyFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../../base/index.ts';
import { type CheckedArchive, checkArchive, type WrittenArchive } from '../../features/backups/index.ts';
import type { Config } from '../config/index.ts';
import { moveSchema, type SchemaMove, type SchemaMoved } from './move-schema.ts';
import { type BackupOrder, backupOffline, backupWithKeys, hasStore } from './offline-backup.ts';
import { type Restored, type RestoreOrder, restoreBackup } from './restore.ts';
import { syncPath } from './staged-directory.ts';
import { storeEngine, type UpkeepSurroundings } from './store-engine.ts';

/** An archive that a running server has written on this machine, and where it is wanted. */
export interface FetchOrder extends BackupOrder {
  readonly from: string;
  /** SHA-256 that the server told. */
  readonly sha256: string;
}

/** What an operator does to the configured store. Every path is absolute; failures are Faults. */
export interface Upkeep {
  /** True while a server, or another command, has the store open. */
  isInUse(): Promise<boolean>;
  hasStore(): boolean;
  /** Of a store that no server uses. */
  backup(order: BackupOrder): Promise<WrittenArchive>;
  /** Takes over what CreateBackup wrote, with the keys of the data directory when there is a passphrase. */
  fetch(order: FetchOrder): Promise<Pick<WrittenArchive, 'sha256' | 'sizeBytes'>>;
  /** Reads every byte of an archive, and opens its keys when there is a passphrase. */
  check(file: string, passphrase?: string): Promise<CheckedArchive>;
  restore(order: RestoreOrder): Promise<Restored>;
  moveSchema(move: SchemaMove): Promise<SchemaMoved>;
}

/** Opens nothing before it is asked. */
export const createUpkeep = (config: Config, around: UpkeepSurroundings): Upkeep => ({
  isInUse: () => storeEngine(config, around).isInUse(),
  hasStore: () => hasStore(config),
  backup: (order) => backupOffline(config, around, order),
  fetch: (order) => fetchArchive(config, around, order),
  check: checkArchive,
  restore: (order) => restoreBackup(config, around, order),
  moveSchema: (move) => moveSchema(config, around, move),
});

const fetchArchive = async (
  config: Config,
  around: UpkeepSurroundings,
  { from, file, sha256, passphrase }: FetchOrder,
): Promise<Pick<WrittenArchive, 'sha256' | 'sizeBytes'>> => {
  const found = await measure(from);
  if (found.sha256 !== sha256)
    throw new Fault('DATA_LOSS', 'ARCHIVE_DAMAGED', `${from} is not the backup that the server wrote`);
  if (passphrase !== undefined) {
    const written = await backupWithKeys(config, around, { from, file, passphrase });
    await rm(from, { force: true });
    return written;
  }
  try {
    await copyFile(from, file, constants.COPYFILE_EXCL);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isTaken ? new Fault('ALREADY_EXISTS', 'FILE_EXISTS', `${file} exists already`, { cause: error }) : error;
  }
  const copied = await measure(file);
  if (copied.sha256 !== sha256) throw new Fault('DATA_LOSS', 'ARCHIVE_DAMAGED', `${file} was not copied whole`);
  syncPath(file);
  syncPath(dirname(file));
  await rm(from, { force: true });
  return copied;
};

const measure = async (file: string): Promise<{ readonly sha256: string; readonly sizeBytes: number }> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const bytes of createReadStream(file) as AsyncIterable<Uint8Array>) {
    hash.update(bytes);
    sizeBytes += bytes.byteLength;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
};
