import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { assert, Fault, makeDirectory } from '../../base/index.ts';
import { type CheckedArchive, checkArchive, restoreArchive } from '../../features/platform/backups/index.ts';
import { DUMP_TABLES, INSTANCE_RESTORE, type StoreLoad } from '../../store/contracts/index.ts';
import { lockDataDir } from '../../store/sqlite/index.ts';
import type { Config } from '../config/index.ts';
import { writeKeyFiles } from './key-files.ts';
import { dumpToFile } from './offline-backup.ts';
import { restoredAlready, StagedDirectory } from './staged-directory.ts';
import { type StoreEngine, storeEngine, type UpkeepHost } from './store-engine.ts';

export interface RestoreOrder {
  /** Absolute path of the archive. */
  readonly file: string;
  /** True: what is there is kept aside and replaced. */
  readonly isReplacing: boolean;
  /** Opens the keys in the archive. */
  readonly passphrase?: string;
  /** True: keys in the archive are left there, and those of the target stay. */
  readonly isWithoutKeys?: boolean;
}

export interface Restored extends CheckedArchive {
  /** Where what was there before is kept. */
  readonly safety: string | undefined;
}

/**
 * Unpacks an archive into the configured store and data directory, which no server may use. Every byte is checked before
 * anything changes. Faults: those of the archive, PASSPHRASE_NEEDED, DATA_DIR_IN_USE, TARGET_NOT_EMPTY.
 */
export const restoreBackup = async (
  config: Config,
  host: UpkeepHost,
  order: RestoreOrder & { readonly engine?: StoreEngine },
): Promise<Restored> => {
  const engine = order.engine ?? storeEngine(config, host);
  const checked = await checkArchive(order.file, order.passphrase);
  if (checked.hasKeys && order.passphrase === undefined && order.isWithoutKeys !== true)
    throw new Fault(
      'INVALID_ARGUMENT',
      'PASSPHRASE_NEEDED',
      'the archive holds keys: give their passphrase, or leave them out with --without-keys',
    );
  makeDirectory(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  try {
    return { ...checked, safety: await restoreLocked(config, host, { ...order, engine }) };
  } finally {
    lock.release();
  }
};

/** Answers where the safety copy is. */
const restoreLocked = async (
  config: Config,
  host: UpkeepHost,
  order: RestoreOrder & { readonly engine: StoreEngine },
): Promise<string | undefined> => {
  const { isReplacing } = order;
  const { dataDir } = config;
  const { clock, faultPoint } = host;
  const nowMicros = clock.nowMicros();
  const token = await order.engine.restoring();
  if (!isReplacing && token === undefined) {
    const done = restoredAlready(dataDir, await order.engine.epoch());
    if (done !== undefined) throw done;
  }
  const staged = new StagedDirectory({ dataDir, isReplacing, token, nowMicros, faultPoint });
  try {
    const copied = await copyExternal(config, host, order);
    await fillStaged(staged, host, order);
    staged.commit();
    if (!order.engine.isEmbedded) {
      await order.engine.endRestore();
      faultPoint('restore.ended');
    }
    return copied ?? staged.safety;
  } catch (error) {
    staged.discard();
    throw error;
  }
};

/** Unpacks the archive next to what is there; a store outside the data directory shows it at the end. */
const fillStaged = async (
  staged: StagedDirectory,
  host: UpkeepHost,
  order: RestoreOrder & { readonly engine: StoreEngine },
): Promise<void> => {
  const { engine, file, passphrase } = order;
  const objects = await engine.objects(staged.path('objects'), 'fill');
  try {
    const load = await engine.load(staged.path('svc.db'));
    try {
      const putKeys = (files: Parameters<typeof writeKeyFiles>[1]) => writeKeyFiles(staged.path('keys'), files);
      const epoch = Buffer.from(host.random.fill(new Uint8Array(12))).toString('hex');
      await restoreArchive(
        file,
        { load, blobs: objects.blobs, putKeys },
        { epoch, ...(passphrase === undefined ? {} : { passphrase }) },
      );
      host.faultPoint('restore.unpacked');
      if (engine.isEmbedded) {
        await load.finish();
        staged.begin();
      } else await showBoth(staged, host, { load, epoch });
    } catch (error) {
      await load.abandon();
      throw error;
    }
  } finally {
    objects.close();
  }
};

/**
 * From the commit on the database says, too, that the restore continues: nothing starts on it before the directory is
 * whole.
 */
const showBoth = async (
  staged: StagedDirectory,
  { faultPoint }: UpkeepHost,
  { load, epoch }: { readonly load: StoreLoad; readonly epoch: string },
): Promise<void> => {
  const instance = DUMP_TABLES.find(({ name }) => name === 'instance');
  assert(instance !== undefined, 'values of the instance are dumped');
  await load.insert(instance, [{ name: INSTANCE_RESTORE, value: epoch }]);
  staged.begin(epoch);
  await load.finish();
  faultPoint('restore.loaded');
};

/** A database of its own cannot be moved aside: its contents become an archive in `backup.dir`. */
const copyExternal = async (
  config: Config,
  host: UpkeepHost,
  { engine, isReplacing }: { readonly engine: StoreEngine; readonly isReplacing: boolean },
): Promise<string | undefined> => {
  if (engine.isEmbedded || (await engine.isEmpty())) return undefined;
  if (!isReplacing)
    throw new Fault(
      'FAILED_PRECONDITION',
      'TARGET_NOT_EMPTY',
      'the database of store.url is not empty: restore into another one, or run `svc restore --replace`',
    );
  const dir = config.settings['backup.dir'];
  makeDirectory(dir);
  const file = join(dir, `before-restore-${host.clock.nowMicros()}.tar.zst`);
  await dumpToFile({ config, host, engine }, { file });
  return file;
};
