import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import type { Store } from '../../contracts/index.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../index.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type ReusedDatabase, ReusedDatabases } from './reused-databases.ts';

/** Database that was migrated already; others are made from it. */
export const TEMPLATE = 'svc_template';

/** Runs one statement on the database, past the store. */
export const runSql = async (url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
};

/** Databases of one server, each made from one that was migrated already. */
export class TestDatabases {
  readonly #server: PostgresServer;
  #count = 0;
  #template: Promise<void> | undefined;
  #reused: ReusedDatabases | undefined;

  constructor(server: PostgresServer) {
    this.#server = server;
  }

  /** A migrated database that holds nothing, perhaps one that a test before used: not for tests that look at the whole server. */
  async take(): Promise<ReusedDatabase> {
    this.#template ??= this.#makeTemplate();
    await this.#template;
    this.#reused ??= new ReusedDatabases(this.#server.url('postgres'), TEMPLATE);
    return this.#reused.take();
  }

  /** Address of a fresh database; with `isEmpty` without any table. */
  async create({ isEmpty = false } = {}): Promise<string> {
    this.#template ??= this.#makeTemplate();
    await this.#template;
    const name = `t${++this.#count}`;
    await runSql(this.#server.url('postgres'), `CREATE DATABASE ${name} TEMPLATE ${isEmpty ? 'template0' : TEMPLATE}`);
    return this.#server.url(name);
  }

  async drop(url: string): Promise<void> {
    const name = url.slice(url.lastIndexOf('/') + 1);
    await runSql(this.#server.url('postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async #makeTemplate(): Promise<void> {
    await runSql(this.#server.url('postgres'), `CREATE DATABASE ${TEMPLATE}`);
    const url = this.#server.url(TEMPLATE);
    const { store } = await openTestStore({ url });
    await store.close();
    // Each database made from it is a store of its own.
    await runSql(url, `DELETE FROM instance WHERE name <> 'search.words'`);
  }
}

let opened = 0;

/** A store with a clock that stands still; it waits for other transactions by the real one. */
export const openTestStore = async (options: Partial<PostgresStoreOptions> & { readonly url: string }) => {
  const clock = new ManualClock();
  const store = await openPostgresStore({
    ...{ poolSize: 8, clock, random: seededRandom(++opened), log: silentLog },
    pause: (ms) => setTimeout(ms),
    ...options,
  });
  return { store, clock };
};

/** A store in a fresh database. For tests of this folder. */
export const makeTestStore = async (databases: TestDatabases, options: Partial<PostgresStoreOptions> = {}) => {
  const { url, drop } = await databases.take();
  const made = await openTestStore({ ...options, url });
  let { store } = made;
  const besides: Store[] = [];
  return {
    url,
    store,
    clock: made.clock,
    reopen: async (): Promise<Store> => {
      await store.close();
      store = (await openTestStore({ clock: made.clock, ...options, url })).store;
      return store;
    },
    /** As a process that starts while this one runs; closed with it. */
    reopenBeside: async (): Promise<Store> => {
      const beside = (await openTestStore({ clock: made.clock, ...options, url })).store;
      besides.push(beside);
      return beside;
    },
    dispose: async (): Promise<void> => {
      for (const beside of besides) await beside.close();
      await store.close();
      await drop();
    },
  };
};
