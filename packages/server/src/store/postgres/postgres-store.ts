import { type Clock, errorText, Fault, type Log, type Random } from '../../base/index.ts';
import type { FaultPoints, Presence, ReadTx, Store, WriteTx } from '../contracts/index.ts';
import { loadMigrations, type Migration } from '../migrations/index.ts';
import { FullDisk, tokenSource } from '../rows/index.ts';
import type { Access, LogFrontiers, VectorForm } from './access.ts';
import { LogFrontier } from './changes/index.ts';
import { Database, statement } from './connection/index.ts';
import { migrate } from './migrate.ts';
import { Presences } from './presence/index.ts';
import { SharedClock } from './shared-clock.ts';
import { createReadHandle, probeVectors } from './tables/index.ts';
import { readSnapshot, WriteRunner } from './transactions/index.ts';
import { renewWords } from './words-form.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; never shown. */
  readonly url: string;
  /** Connections of this process (`store.poolSize`), one of them for the reader of the logs; three at least are used. */
  readonly poolSize: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** `off`: commits are acknowledged before they are on disk; for tests only. Default `full`. */
  readonly sync?: 'full' | 'off';
  /** How long a statement waits for a lock, in milliseconds (`store.busyTimeout`); 4 s at most. */
  readonly lockTimeoutMs?: number;
  /** Keeps vectors; how this database compares them is found out at the start. */
  readonly vectors?: boolean;
  /** For tests: how long an answer may take without a byte coming, in milliseconds. Default 8 s. */
  readonly silenceMs?: number;
  /** `manual`: pending migrations stop the start (`store.migrate`). Default `auto`. */
  readonly migrate?: 'auto' | 'manual';
  /** For tests: called before each statement and around each COMMIT; throws to make it fail, or ends the process. */
  readonly faults?: FaultPoints;
  /** For tests: the schema's steps. */
  readonly migrations?: readonly Migration[];
  /** For tests with a clock that stands still: waits between runs of a write and between checks of an open transaction. */
  readonly pause?: (ms: number) => Promise<void>;
  /** For tests with a clock of their own: what the clock of the database server shows at the start, in microseconds. */
  readonly serverMicros?: number;
}

const CLOSED = new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the store is closed');
const PING = statement('SELECT 1');
/** The first process makes the epoch; every other one takes what is there. */
const EPOCH = statement<{ value: string }>(
  `INSERT INTO instance (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO UPDATE SET value = instance.value
   RETURNING value`,
);
const numbered = ['resources', 'sessions', 'messages', 'turns', 'journal', 'permissions', 'channel_messages'].concat(
  'search_documents',
  'search_chunks',
);
/** Rows that were copied in with their numbers (a restore) must not meet new ones. */
const ALIGN_SEQUENCES = statement(
  `SELECT setval(name, newest) FROM (
     SELECT 'resource_versions' AS name, coalesce(max(version), 0) AS newest FROM changes
     UNION ALL SELECT pg_get_serial_sequence('audit', 'position'), coalesce(max(position), 0) FROM audit
     ${numbered.map((table) => `UNION ALL SELECT pg_get_serial_sequence('${table}', 'row'), coalesce(max(row), 0) FROM ${table}`).join(' ')}
   ) AS sequences WHERE newest > coalesce(pg_sequence_last_value(name::regclass), 0)`,
);

/**
 * The engine for many nodes. Opening connects, migrates under a lock that spans all nodes and joins the store clock; Faults
 * UNAVAILABLE STORAGE, FAILED_PRECONDITION SCHEMA_TOO_NEW, SCHEMA_TOO_OLD, DATABASE_UNSUITABLE.
 */
export const openPostgresStore = async (options: PostgresStoreOptions): Promise<Store> => {
  const databases = connect(options);
  const { calls } = databases;
  try {
    await migrate(calls, {
      migrations: options.migrations ?? loadMigrations('postgres'),
      mode: options.migrate ?? 'auto',
      nowMicros: options.clock.nowMicros(),
      log: options.log,
    });
    await renewWords(calls);
    await calls.rows(ALIGN_SEQUENCES);
    const vectors = options.vectors === true ? await openVectors(calls, options.log) : undefined;
    const nextToken = tokenSource(options.random);
    const epoch = (await calls.one(EPOCH, [nextToken()])).value;
    const clock = await SharedClock.start(calls, options.clock, options.serverMicros);
    await calls.warm();
    const pause = options.pause ?? pauseOf(options.clock);
    const changes = new LogFrontier('changes', { sql: databases.reader, pause });
    const audit = new LogFrontier('audit', { sql: databases.reader, pause });
    const frontiers = { changes: (waits: boolean) => changes.reached(waits), audit: () => audit.reached(false) };
    await changes.reached(false);
    return new PostgresStore(options, { ...databases, nextToken, epoch, clock, frontiers, pause, vectors });
  } catch (error) {
    await Promise.all([calls.close(), databases.reader.close()]);
    throw error;
  }
};

const openVectors = (calls: Database, log: Log): Promise<VectorForm> =>
  probeVectors(calls, (error) => {
    log.warn('the extension pgvector is offered, and svc may not add it: CREATE EXTENSION vector', {
      reason: errorText(error),
    });
  });

/**
 * The reader of the logs has a connection of its own: transactions that hold all others may wait for it. So has the lock that
 * shows a worker to be alive, which nothing else may keep busy.
 */
const connect = (options: PostgresStoreOptions): Pick<Opened, 'calls' | 'reader' | 'single'> => {
  const { url, log, sync, lockTimeoutMs, silenceMs, faults } = options;
  const common = {
    url,
    log,
    isSynced: sync !== 'off',
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
    ...(silenceMs === undefined ? {} : { silenceMs }),
  };
  const poolSize = callsOf(options.poolSize);
  return {
    calls: new Database({ ...common, poolSize, lanes: lanesOf(poolSize), ...(faults === undefined ? {} : { faults }) }),
    reader: new Database({ ...common, poolSize: 1, lanes: 1 }),
    single: () =>
      new Database({
        ...common,
        poolSize: 1,
        silenceMs: Math.min(silenceMs ?? PRESENCE_SILENCE_MS, PRESENCE_SILENCE_MS),
      }),
  };
};

/** A lock that may be lost is taken again, so that a server that is slow to answer a question costs little. */
const PRESENCE_SILENCE_MS = 4_000;

const callsOf = (poolSize: number): number => Math.max(2, poolSize - 1);

interface Opened {
  /** Connections of calls. */
  readonly calls: Database;
  /** The connection of the reader of the logs. */
  readonly reader: Database;
  /** Makes a connection for one purpose. */
  readonly single: () => Database;
  readonly nextToken: () => string;
  readonly epoch: string;
  readonly clock: SharedClock;
  readonly frontiers: LogFrontiers;
  readonly pause: (ms: number) => Promise<void>;
  readonly vectors: VectorForm | undefined;
}

class PostgresStore implements Store {
  readonly epoch: string;
  readonly direct: ReadTx;
  readonly #database: Database;
  readonly #reader: Database;
  readonly #machineClock: Clock;
  readonly #clock: SharedClock;
  readonly #access: Omit<Access, 'sql'>;
  readonly #writes: WriteRunner;
  readonly #presences: Presences;
  readonly #log: Log;
  readonly #disk: FullDisk;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions, opened: Opened) {
    const { calls: database, reader, nextToken, epoch, clock } = opened;
    this.epoch = epoch;
    this.#database = database;
    this.#reader = reader;
    this.#machineClock = options.clock;
    this.#clock = clock;
    this.#log = options.log;
    this.#disk = new FullDisk(options.log);
    const { frontiers, pause, vectors } = opened;
    const { clock: processClock, random, log } = options;
    this.#presences = new Presences({
      connect: opened.single,
      calls: database,
      clock: processClock,
      random,
      log,
      pause,
    });
    const rounds = { lastServed: '', stuckAfter: '' };
    this.#access = { frontiers, rounds, vectors };
    this.direct = createReadHandle({ ...this.#access, sql: database });
    this.#writes = new WriteRunner({
      database,
      frontiers,
      rounds,
      vectors,
      nextToken,
      pause,
      random,
      log,
      judge: this.#presences,
      disk: this.#disk,
      now: () => this.now(),
      steadyNow: () => clock.current(database),
      monotonicMs: () => options.clock.monotonicMs(),
      limit: writesOf(callsOf(options.poolSize)),
      ...(options.faults === undefined ? {} : { faults: options.faults }),
    });
  }

  async write<T>(work: (tx: WriteTx) => Promise<T>, options: { readonly isUrgent?: boolean } = {}): Promise<T> {
    if (this.#closed !== undefined) throw CLOSED;
    return this.#writes.write(work, options.isUrgent === true);
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw CLOSED;
    return readSnapshot(this.#database, this.#access, work);
  }

  async announce(worker: string, onReturn: () => void): Promise<Presence> {
    if (this.#closed !== undefined) throw CLOSED;
    return this.#presences.announce(worker, onReturn);
  }

  now(): number {
    return Math.round(this.#machineClock.nowMicros());
  }

  steadyNow(): number {
    return this.#clock.now();
  }

  async ping(): Promise<void> {
    await this.#database.rows(PING);
    this.#disk.requireRoom();
  }

  /** Settles the writes that were handed in before. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    await this.#presences.close();
    // A database that is gone at the end has the time of a second ago, which the next start adds.
    await this.#clock.note(this.#database).catch((error: unknown) => {
      this.#log.warn('the store clock could not be noted at the end', { reason: String(error) });
    });
    await Promise.all([this.#database.close(), this.#reader.close()]);
  }
}

/** Connections that single reads share. */
const lanesOf = (calls: number): number => (calls < 6 ? 1 : 2);

/** Some connections are kept for reads: writes that wait for each other's locks must not hold up everything. */
const writesOf = (calls: number): number => Math.max(1, calls - lanesOf(calls) - Math.max(1, Math.floor(calls / 8)));

const pauseOf =
  (clock: Clock) =>
  (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.after(ms, resolve);
    });
