import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { Fault, type Log } from '../../../base/index.ts';
import type { FaultPoints } from '../../contracts/index.ts';
import { Lanes } from './lanes.ts';
import { onlyRow, Session } from './session.ts';
import type { Queries, SqlAnswer, SqlValue, Statement } from './statement.ts';
import { NotRun, ServerError, storageFault, toCallerError } from './storage-fault.ts';

/** Longest time of one statement, of a wait for a lock, and of a transaction that waits for its program. */
const LIMIT_MS = 5_000;
/** A wait for a lock ends before its statement does, so that the write is repeated and not refused. */
const LOCK_LIMIT_MS = 4_000;
const CONNECT_MS = 5_000;
/** Without a byte for this long the host is taken for gone: its own limits would have ended whatever it does. */
const SILENCE_MS = 8_000;
/** A connection that no one uses, or that waits for a long copy, is asked for a sign of life after this time. */
const KEEP_ALIVE_MS = 10_000;
/** Connections tried for one statement: those that the server ended while no one had them fail at their first use. */
const MAX_TRIES = 4;
/** Connections that stay open when there is nothing to do. */
const WARM = 2;

export interface DatabaseOptions {
  /** `postgres://…`; never shown. */
  readonly url: string;
  readonly poolSize: number;
  /** How many of them are shared by statements that stand alone; without, each has one to itself for as long as it takes. */
  readonly lanes?: number;
  /** False: a commit is acknowledged before it is on disk; for tests. */
  readonly isSynced: boolean;
  /** How long a statement waits for a lock, in milliseconds; 4 s at most. */
  readonly lockTimeoutMs?: number;
  /** How long an answer may take without a byte coming, in milliseconds; default 8 s, later than the server's own limits. */
  readonly silenceMs?: number;
  readonly log: Log;
  /** Called as `store.statement` before each statement; throws to make it fail. */
  readonly faults?: FaultPoints;
}

const CLOSED = new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the store is closed');

/** What the engine settles for every connection; the driver would let the address have the last word. */
const OWN_SETTINGS = [
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'options',
];

/** Modes that the driver takes for `verify-full`, with a warning that a later release of it will not. */
const CHECKED_MODES: readonly (string | null)[] = ['prefer', 'require', 'verify-ca'];

/** True when the address asks for TLS in words that are settled here: they check the certificate and its name, always. */
const checksCertificate = (settings: URLSearchParams): boolean =>
  settings.get('uselibpqcompat') !== 'true' && CHECKED_MODES.includes(settings.get('sslmode'));

/** The address without what the engine settles, and the server options that were in it (`?options=-c search_path=…`). */
const splitAddress = (url: string): { readonly address: string; readonly serverOptions: string } => {
  const [bare = ''] = url.split('?', 1);
  const settings = new URLSearchParams(url.slice(bare.length));
  const serverOptions = settings.get('options') ?? '';
  const strange = OWN_SETTINGS.filter((name) => settings.has(name));
  const isChecked = checksCertificate(settings);
  if (strange.length === 0 && !isChecked) return { address: url, serverOptions };
  for (const name of strange) settings.delete(name);
  if (isChecked) settings.set('sslmode', 'verify-full');
  return { address: `${bare}?${settings}`, serverOptions };
};

const poolConfig = (options: DatabaseOptions): PoolConfig => {
  const { address, serverOptions } = splitAddress(options.url);
  return {
    connectionString: address,
    application_name: 'svc',
    max: options.poolSize,
    min: Math.min(WARM, options.poolSize),
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: LIMIT_MS,
    lock_timeout: Math.min(options.lockTimeoutMs ?? LOCK_LIMIT_MS, LOCK_LIMIT_MS),
    idle_in_transaction_session_timeout: LIMIT_MS,
    // Of a setting that is named twice the server takes the last.
    options:
      `${serverOptions} -c synchronous_commit=${options.isSynced ? 'on' : 'off'} -c client_min_messages=warning`.trim(),
  };
};

/** What OpenSSL and Node call a certificate that they do not believe. */
const CERTIFICATE_CODES = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** UNAVAILABLE STORAGE for a connection that was not made; names what an operator can mend at `store.url`. */
const unreachable = (error: unknown): Fault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (CERTIFICATE_CODES.test(code))
    return storageFault(`the certificate of the database is refused (${code}): see sslmode and sslrootcert`, error);
  if (error instanceof Error && 'path' in error && code === 'ENOENT')
    return storageFault(`a file that store.url names is not there: ${String(error.path)}`, error);
  const advice = ADVICE.get(code);
  return storageFault(advice ?? 'the database cannot be reached, or has no connection to spare', error);
};

/** What an operator can do, by SQLSTATE or by code of the operating system. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['3D000', 'the database that store.url names does not exist: create it (createdb NAME), or correct store.url'],
  ['28P01', 'the database refuses the user or the password of store.url: correct them'],
  ['28000', 'the database refuses the user of store.url: correct it, or allow it there (pg_hba.conf)'],
  ['ECONNREFUSED', 'no database answers at the address of store.url: start it, or correct store.url'],
  ['ENOTFOUND', 'the host of store.url is not known: correct store.url'],
]);

/** The connections of one process to one database. */
export class Database implements Queries {
  readonly #pool: Pool;
  readonly #options: DatabaseOptions;
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #lanes: Lanes | undefined;
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#pool = new Pool(poolConfig(options));
    this.#lanes = options.lanes === undefined ? undefined : new Lanes(options.lanes, () => this.acquire());
    // A connection that dies while no one has it is replaced when next needed.
    this.#pool.on('error', () => options.log.warn('an idle connection to the database was lost'));
    // An error that no one hears would end the process. Its socket tells the session; before that no one has the connection.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Opens the first connections, so that the first calls do not wait for them. Fault UNAVAILABLE STORAGE. */
  async warm(): Promise<void> {
    const count = Math.min(WARM, this.#options.poolSize);
    const sessions = await Promise.allSettled(Array.from({ length: count }, () => this.acquire()));
    for (const session of sessions) if (session.status === 'fulfilled') session.value.release(false);
    for (const session of sessions) if (session.status === 'rejected') throw session.reason;
  }

  /** A connection for one caller, who releases it. Fault UNAVAILABLE: STORAGE, or SHUTTING_DOWN after `close`. */
  async acquire(): Promise<Session> {
    if (this.#isClosed) throw CLOSED;
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw this.#isClosed ? CLOSED : unreachable(error);
    }
    let session = this.#sessions.get(client);
    if (session === undefined) {
      session = new Session(client, this.#options.silenceMs ?? SILENCE_MS, this.#options.faults);
      this.#sessions.set(client, session);
    }
    return session;
  }

  async rows<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#alone(sql, values)).rows;
  }

  async first<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.#alone(sql, values)).rows[0];
  }

  async one<Row>(sql: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row> {
    return onlyRow((await this.#alone(sql, values)).rows);
  }

  async run(sql: Statement<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#alone(sql, values)).count;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Refuses new callers and closes the connections once they are given back. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lanes?.close();
    await this.#pool.end();
  }

  /**
   * Statements that stand alone only read, or may be repeated; so a connection that is gone costs another try, and so does
   * a statement of somebody else that was refused in the same piece.
   */
  async #alone<Row>(sql: Statement<Row>, values: readonly SqlValue[]): Promise<SqlAnswer<Row>> {
    let isApart = false;
    for (let tries = 1; ; tries++) {
      let used: Session | undefined;
      const once = (session: Session): Promise<SqlAnswer<Row>> => {
        used = session;
        return session.queryShared(sql, values, { isApart });
      };
      try {
        return await (sql.mayBeLong || this.#lanes === undefined ? this.#onOwn(once) : this.#lanes.use(once));
      } catch (error) {
        const isGone = used?.lost !== undefined && !used.wasSilent;
        isApart = isOthers(error);
        if (tries === MAX_TRIES || !(isGone || isApart)) throw toCallerError(error);
      }
    }
  }

  async #onOwn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.acquire();
    try {
      return await work(session);
    } finally {
      session.release(false);
    }
  }
}

/** SQLSTATE: no such prepared statement. */
const NOT_PREPARED = '26000';

/** True when a statement did not run because another one was refused, with which it was sent or which should have prepared it. */
const isOthers = (error: unknown): boolean =>
  error instanceof NotRun || (error instanceof ServerError && error.code === NOT_PREPARED);
