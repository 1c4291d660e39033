import { closeSync, fdatasync, fdatasyncSync, openSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Clock, Fault, isFault, type Log, makeDirectory, type Random } from '../../base/index.ts';
import type { FaultPoints, Presence, ReadTx, Store, WriteTx } from '../contracts/index.ts';
import { loadMigrations, type Migration } from '../migrations/index.ts';
import { FullDisk, tokenSource } from '../rows/index.ts';
import { Checkpointer } from './checkpointer.ts';
import { CommitQueue } from './commit-queue.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { lockDataDir } from './data-lock.ts';
import { keepPrivate } from './private-database.ts';
import { DirectReads, SnapshotReads } from './read-gate.ts';
import { RecordCache } from './records/index.ts';
import { migrate, syncPath } from './schema/index.ts';
import { storageFault, toOpenError } from './storage-fault.ts';
import { CLOCK_SLACK_MICROS, StoreClock } from './store-clock.ts';
import { createReadHandle, createTables, instanceValue, setInstanceValue, type Tables } from './tables/index.ts';
import { findVectorExtension, renewWords } from './tables/search/index.ts';
import { WalSyncer } from './wal-syncer.ts';

export interface SqliteStoreOptions {
  /** Directory of `svc.db`, `lock.db` and `backups/`; made when missing. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Must end the process: called when it is unknown what reached the disk. */
  readonly fatal: (error: unknown) => void;
  /** `off`: commits are never synced; for tests only. Default `group`. */
  readonly durability?: 'group' | 'off';
  /** `manual`: pending migrations stop the start (`store.migrate`). Default `auto`. */
  readonly migrate?: 'auto' | 'manual';
  /** Loads what compares vectors; where that is not to be had on this machine, the store opens without it. */
  readonly vectors?: boolean;
  /** For tests: makes the log durable in place of fdatasync. */
  readonly sync?: (fd: number) => Promise<void>;
  /** For tests: called before each statement, commit and sync; throws to make it fail, or ends the process. */
  readonly faults?: FaultPoints;
  /** For tests: the schema's steps. */
  readonly migrations?: readonly Migration[];
  /** For tests: sizes of the log from which checkpoints run. */
  readonly checkpoint?: { readonly passiveBytes: number; readonly truncateBytes: number };
}

const EPOCH = 'epoch';
const CLOCK = 'clock';
const CLOSED = new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the store is closed');

const fdatasyncAsync = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });

/**
 * The embedded engine. Opening takes the data directory's lock (Fault FAILED_PRECONDITION DATA_DIR_IN_USE), migrates, and
 * makes sure that the log exists; `close` settles what was submitted and gives the lock back.
 */
export const openSqliteStore = async (options: SqliteStoreOptions): Promise<Store> => {
  const firstMade = makeDirectory(options.dataDir);
  if (firstMade !== undefined && options.durability !== 'off')
    syncFolders(resolve(options.dataDir), resolve(firstMade));
  const lock = lockDataDir(options.dataDir);
  try {
    const vectorExtension = options.vectors === true ? await findVectorExtension(options.log) : undefined;
    return new SqliteStore({ ...options, ...(vectorExtension === undefined ? {} : { vectorExtension }) }, lock);
  } catch (error) {
    lock.release();
    throw toOpenError(error, join(options.dataDir, 'svc.db'));
  }
};

/** Makes folders that were just created durable: each is an entry of its parent. */
const syncFolders = (folder: string, firstMade: string): void => {
  for (let path = folder; path.length >= firstMade.length; path = dirname(path)) syncPath(dirname(path));
};

/** The writing connection with its schema in place. */
const openWriter = (file: string, options: OpenedOptions): Connection => {
  keepPrivate(file);
  const connection = new Connection(file, {
    isSynced: options.durability !== 'off',
    ...vectorOptions(options),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  try {
    connection.database.exec('PRAGMA journal_mode = WAL');
    migrate(connection.database, {
      migrations: options.migrations ?? loadMigrations('sqlite'),
      backupDir: join(options.dataDir, 'backups'),
      mode: options.migrate ?? 'auto',
      nowMicros: options.clock.nowMicros(),
      log: options.log,
    });
    renewWords(connection.database);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

type OpenedOptions = SqliteStoreOptions & Pick<ConnectionOptions, 'vectorExtension'>;

const vectorOptions = ({ vectorExtension }: OpenedOptions): Pick<ConnectionOptions, 'vectorExtension'> =>
  vectorExtension === undefined ? {} : { vectorExtension };

/** Below this a disk counts as full: one commit may need as much. */
const LEAST_FREE_BYTES = 1024 ** 2;

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

class SqliteStore implements Store {
  readonly epoch: string;
  readonly direct: ReadTx;
  readonly #lock: { release(): void };
  readonly #connections: readonly Connection[];
  readonly #writer: Connection;
  readonly #walFd: number;
  readonly #tables: Tables;
  readonly #machineClock: Clock;
  readonly #clock: StoreClock;
  readonly #syncer: WalSyncer;
  readonly #queue: CommitQueue;
  readonly #checkpointer: Checkpointer;
  readonly #snapshots: SnapshotReads;
  readonly #direct: DirectReads;
  readonly #disk: FullDisk;
  #clockNoted = 0;
  /** Newest resource version known to be on disk. */
  #durableVersion = 0;
  #committedVersion = 0;
  #closed: Promise<void> | undefined;

  constructor(options: OpenedOptions, lock: { release(): void }) {
    this.#lock = lock;
    const file = join(options.dataDir, 'svc.db');
    const writer = openWriter(file, options);
    this.#disk = new FullDisk(options.log, () => freeBytes(options.dataDir) >= LEAST_FREE_BYTES);
    const isSynced = options.durability !== 'off';
    const reader = { isSynced, isReader: true, ...vectorOptions(options) };
    const [snapshot, direct] = [new Connection(file, reader), new Connection(file, reader)];
    this.#connections = [snapshot, direct, writer];
    this.#writer = writer;
    const nextToken = tokenSource(options.random);
    const cache = new RecordCache();
    this.#tables = createTables(writer, { cache, isWriter: true });
    this.#machineClock = options.clock;
    this.#clock = new StoreClock(options.clock, Number(instanceValue(writer, CLOCK) ?? 0));
    this.epoch = this.#start(nextToken());
    this.#walFd = openSync(`${file}-wal`, 'r');
    if (isSynced) fdatasyncSync(this.#walFd);
    this.#syncer = new WalSyncer({ sync: this.#syncFunction(options), fatal: options.fatal });
    this.#queue = new CommitQueue({
      connection: writer,
      tables: this.#tables,
      syncer: this.#syncer,
      log: options.log,
      now: () => this.now(),
      steadyNow: () => this.#clock.now(),
      nextToken,
      fatal: options.fatal,
      disk: this.#disk,
      beforeCommit: () => this.#beforeCommit(),
      afterCommit: () => this.#noteCommit(),
      afterGroup: () => cache.settle(),
      ...(options.faults === undefined ? {} : { faults: options.faults }),
    });
    this.#checkpointer = new Checkpointer({
      file,
      connection: writer,
      log: options.log,
      pausedWhile: (work) => this.#queue.pausedWhile(work),
      fatal: options.fatal,
      ...options.checkpoint,
    });
    this.#snapshots = new SnapshotReads(snapshot, createTables(snapshot), this.#syncer);
    this.#direct = new DirectReads(direct, {
      tables: createTables(direct, { cache, isWriter: false }),
      syncer: this.#syncer,
      durableVersion: () => this.#durableVersion,
    });
    this.direct = createReadHandle(this.#direct);
  }

  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.#queue.submit(work);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#closed === undefined ? this.#snapshots.read(work) : Promise.reject(CLOSED);
  }

  /** No other process can hold a claim, so a worker that is not announced here is dead. */
  async announce(worker: string): Promise<Presence> {
    const { living } = this.#tables.claims;
    living.add(worker);
    return { close: async () => void living.delete(worker) };
  }

  now(): number {
    return Math.round(this.#machineClock.nowMicros());
  }

  steadyNow(): number {
    return this.#clock.now();
  }

  async ping(): Promise<void> {
    if (this.#closed !== undefined) throw CLOSED;
    try {
      await this.direct.instance.value(EPOCH);
    } catch (error) {
      throw isFault(error) ? error : storageFault('the store does not answer', error);
    }
    this.#disk.requireRoom();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.#queue.submit(async (tx) => tx.instance.setValue(CLOCK, String(this.#clock.now())));
      await this.#queue.close(CLOSED);
    } finally {
      await this.#checkpointer.close();
      this.#snapshots.close(CLOSED);
      this.#direct.close(CLOSED);
      closeSync(this.#walFd);
      for (const connection of this.#connections) connection.close();
      this.#lock.release();
    }
  }

  /** First write of the process: makes the epoch of a new or restored store, and with it the log file. */
  #start(newEpoch: string): string {
    const epoch = instanceValue(this.#writer, EPOCH) ?? newEpoch;
    setInstanceValue(this.#writer, EPOCH, epoch);
    setInstanceValue(this.#writer, CLOCK, String(this.#clock.now()));
    this.#clockNoted = this.#clock.now();
    return epoch;
  }

  #syncFunction(options: SqliteStoreOptions): () => Promise<void> {
    const { faults, durability } = options;
    const sync = options.sync ?? (durability === 'off' ? async () => undefined : fdatasyncAsync);
    return async () => {
      const version = this.#committedVersion;
      faults?.('store.sync');
      await sync(this.#walFd);
      faults?.('store.synced');
      this.#durableVersion = version;
    };
  }

  #noteCommit(): void {
    this.#committedVersion = this.#tables.resourceWrites.lastVersion ?? this.#committedVersion;
    this.#checkpointer.noteCommit();
  }

  /** Notes, once a second at most, the time a later process must not go behind. */
  #beforeCommit(): void {
    const now = this.#clock.now();
    if (now - this.#clockNoted < CLOCK_SLACK_MICROS) return;
    setInstanceValue(this.#writer, CLOCK, String(now));
    this.#clockNoted = now;
  }
}
