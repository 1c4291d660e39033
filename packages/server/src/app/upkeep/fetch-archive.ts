import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Fault } from '../../base/index.ts';
import { addKeys, placeFile } from '../../features/platform/backups/index.ts';
import type { Config } from '../config/index.ts';
import { sealedKeys } from './offline-backup.ts';
import type { UpkeepHost } from './store-engine.ts';

/** An archive that a running server has written on this machine, and its destination. Paths are absolute. */
interface ServerArchive {
  readonly from: string;
  /** SHA-256 that the server reported. */
  readonly sha256: string;
  /** Must not exist yet. */
  readonly file: string;
}

export interface FetchOrder {
  /** Makes the server write; called once, after every check that can be made before. */
  readonly write: () => Promise<ServerArchive>;
  /** Encrypts the key files of the data directory into the archive. */
  readonly passphrase?: string;
  /** Cancels the copy, with its reason. */
  readonly signal?: AbortSignal;
}

export interface FetchedArchive {
  readonly file: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Moves an archive, adding keys when there is a passphrase. A failure leaves nothing of `file`, and with keys nothing of what
 * the server wrote either: an archive without them was not asked for. Faults: those of a backup, ARCHIVE_DAMAGED.
 */
export const fetchArchive = async (
  config: Config,
  host: UpkeepHost,
  { write, passphrase, signal }: FetchOrder,
): Promise<FetchedArchive> => {
  const keys = passphrase === undefined ? undefined : await sealedKeys(config, host, passphrase);
  const archive = await write();
  const { from, file } = archive;
  if (keys === undefined) {
    const sizeBytes = await placeFile(file, (part) => copyArchive(archive, part, signal));
    await rm(from, { force: true });
    return { file, sha256: archive.sha256, sizeBytes };
  }
  await requireServerArchive(archive);
  try {
    const seconds = Math.floor(host.clock.nowMicros() / 1_000_000);
    const svc = config.transport.version;
    const { sha256, sizeBytes } = await addKeys({ from, to: file, keys, svc, seconds, signal });
    return { file, sha256, sizeBytes };
  } finally {
    await rm(from, { force: true });
  }
};

const foreignArchive = (from: string): Fault =>
  new Fault('DATA_LOSS', 'ARCHIVE_DAMAGED', `${from} is not the backup that the server wrote`);

/** A file with another hash belongs to someone else, or has changed: it is left alone. */
const requireServerArchive = async ({ from, sha256 }: ServerArchive): Promise<void> => {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(from) as AsyncIterable<Uint8Array>) hash.update(bytes);
  if (hash.digest('hex') !== sha256) throw foreignArchive(from);
};

/** Returns the size in bytes. */
const copyArchive = async (
  { from, sha256 }: ServerArchive,
  part: string,
  signal: AbortSignal | undefined,
): Promise<number> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for await (const bytes of createReadStream(from) as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      hash.update(bytes);
      sizeBytes += bytes.byteLength;
      yield bytes;
    }
  };
  const copy = await open(part, 'wx', 0o600);
  try {
    await copy.writeFile(source());
    if (hash.digest('hex') !== sha256) throw foreignArchive(from);
    await copy.sync();
  } finally {
    await copy.close();
  }
  return sizeBytes;
};
