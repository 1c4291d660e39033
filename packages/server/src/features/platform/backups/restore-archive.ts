import { assert, Fault } from '../../../base/index.ts';
import type { BlobStore, DumpRow, StoreLoad } from '../../../store/contracts/index.ts';
import { type KeyFiles, type Manifest, openKeys, readArchive } from './archive/index.ts';
import { restoredRow } from './restored-rows-rules.ts';

/** Where an archive is unpacked to. The caller makes it visible, or throws it away, afterwards. */
interface RestoreTarget {
  readonly load: Pick<StoreLoad, 'insert'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  /** Called at most once, and only when a passphrase was given. */
  readonly putKeys: (files: KeyFiles) => Promise<void>;
}

export interface RestoreOptions {
  /** Epoch of the restored store; never used before. */
  readonly epoch: string;
  /** Opens the keys in the archive; without one they stay where they are. */
  readonly passphrase?: string;
}

/** What an archive holds, read once from beginning to end. */
export interface CheckedArchive {
  readonly manifest: Manifest;
  readonly hasKeys: boolean;
}

/** Reads every byte and checks every hash, and with a passphrase that it opens the keys. Faults as `readArchive`. */
export const checkArchive = async (file: string, passphrase?: string): Promise<CheckedArchive> => {
  let sealed: Uint8Array | undefined;
  let manifest: Manifest | undefined;
  for await (const part of readArchive(file)) {
    if (part.kind === 'keys') sealed = part.sealed;
    if (part.kind === 'manifest') manifest = part.manifest;
  }
  assert(manifest !== undefined, 'an archive ends with its manifest or with a fault');
  if (passphrase !== undefined) {
    if (sealed === undefined)
      throw new Fault('FAILED_PRECONDITION', 'KEYS_MISSING', 'the archive holds no keys: leave the passphrase out');
    await openKeys(sealed, passphrase);
  }
  return { manifest, hasKeys: sealed !== undefined };
};

/** Unpacks an archive, which `checkArchive` has read; its bytes are checked once more on the way. */
export const restoreArchive = async (file: string, target: RestoreTarget, options: RestoreOptions): Promise<void> => {
  for await (const part of readArchive(file)) {
    switch (part.kind) {
      case 'rows': {
        const rows = part.rows.map((row) => restoredRow(part.table, row, options.epoch));
        await target.load.insert(
          part.table,
          rows.filter((row): row is DumpRow => row !== undefined),
        );
        break;
      }
      case 'object':
        await target.blobs.put(part.bytes);
        break;
      case 'keys':
        if (options.passphrase !== undefined) await target.putKeys(await openKeys(part.sealed, options.passphrase));
        break;
      case 'manifest':
        break;
    }
  }
};
