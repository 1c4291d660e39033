import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client } from 'pg';
import { KeptSessions } from './kept-sessions.ts';
import { KEPT_NAME } from './server-session.ts';

/** A migrated database for one test or suite. */
export interface ReusedDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database is used for so many tests: rows that were deleted still take place in it. */
const USES = 25;
/** Tells every session of the database to end that is not kept; a row for each that has not ended yet. */
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = $1 AND application_name <> '${KEPT_NAME}'`;
/** The server itself looks only every 100 ms whether a session that it waits for has ended. */
const PAUSE = 'SELECT pg_sleep(0.002)';
const MOST_PAUSES = 5_000;
/** Leaves what the template holds: the steps of the schema, and in which form words are cut. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND relname NOT IN ('schema_migrations', 'instance')
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  DELETE FROM instance WHERE instance.name <> 'search.words';
  PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
END $$`;
const CATALOGS = ['pg_class', 'pg_attribute', 'pg_constraint', 'pg_trigger', 'pg_proc'];
/**
 * Changes when a table, a column, an index, a trigger or a function was made, changed or removed, or a migration applied or taken
 * back: each leaves a row of a newer transaction, or one row less.
 */
const SHAPE = `SELECT concat_ws(' ', ${CATALOGS.map(
  (catalog) => `(SELECT concat(count(*), '/', max(xmin::text::bigint)) FROM ${catalog})`,
).join(', ')}, (SELECT string_agg(version::text, ' ' ORDER BY version) FROM schema_migrations)) AS shape`;

interface Used {
  readonly name: string;
  readonly uses: number;
}

/**
 * Migrated databases of one test process on one server. To make one and to remove it again takes three times as long as most
 * tests, so they are emptied and used again, together with the sessions that were left in order. Each user reaches its database by
 * a name of its own, so that what a test left running reaches it no more than if it was removed.
 */
export class ReusedDatabases {
  readonly #server: string;
  readonly #template: string;
  readonly #used: Used[] = [];
  #kept: Promise<KeptSessions> | undefined;
  #connection: Promise<Client> | undefined;
  #shape: Promise<string> | undefined;

  /** `template` names a database of the server at the address `server` that is migrated and holds nothing. */
  constructor(server: string, template: string) {
    this.#server = server;
    this.#template = template;
  }

  async take(): Promise<ReusedDatabase> {
    this.#kept ??= KeptSessions.start(this.#server);
    const kept = await this.#kept;
    const used = this.#used.pop();
    if (used === undefined) {
      const name = newName('reused');
      await this.#run(`CREATE DATABASE ${name} TEMPLATE ${this.#template}`);
      return this.#given(kept, { name, uses: 1 });
    }
    await this.#endSessions(used.name);
    const given = this.#given(kept, { name: used.name, uses: used.uses + 1 });
    if (await this.#isEmptied(given.url)) return given;
    await given.remove();
    return this.take();
  }

  async #endSessions(database: string): Promise<void> {
    for (let pauses = 0; (await this.#run(END_SESSIONS, [database])) > 0; pauses++) {
      if (pauses === MOST_PAUSES) throw new Error(`sessions of ${database} do not end`);
      await this.#run(PAUSE);
    }
  }

  #given(kept: KeptSessions, database: Used): ReusedDatabase & { remove(): Promise<void> } {
    const name = newName('given');
    kept.open(name, database.name);
    const address = new URL(this.#url(name));
    address.port = String(kept.port);
    const remove = async (): Promise<void> => {
      await kept.close(name);
      await this.#run(`DROP DATABASE IF EXISTS ${database.name} WITH (FORCE)`);
    };
    const drop = async (): Promise<void> => {
      if (database.uses >= USES) return remove();
      await kept.close(name);
      this.#used.push(database);
    };
    return { url: address.href, drop, remove };
  }

  /** False for a database whose tables are no longer those of the template. */
  async #isEmptied(url: string): Promise<boolean> {
    this.#shape ??= this.#templateShape();
    const wanted = await this.#shape;
    const client = await connect(url);
    try {
      if ((await shapeOf(client)) !== wanted) return false;
      await client.query(EMPTY);
      return true;
    } finally {
      await client.end();
    }
  }

  async #templateShape(): Promise<string> {
    const client = await connect(this.#url(this.#template));
    try {
      return await shapeOf(client);
    } finally {
      await client.end();
    }
  }

  #url(name: string): string {
    return this.#server.replace(/[^/]*$/, name);
  }

  /** Number of rows. */
  async #run(text: string, values: unknown[] = []): Promise<number> {
    this.#connection ??= this.#connect();
    return (await (await this.#connection).query(text, values)).rowCount ?? 0;
  }

  async #connect(): Promise<Client> {
    const client = await connect(this.#server);
    // Tests end servers, and start them again.
    client.once('end', () => {
      this.#connection = undefined;
    });
    return client;
  }
}

const newName = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

const shapeOf = async (client: Client): Promise<string> => String((await client.query(SHAPE)).rows[0]?.shape);

/** Does not keep the process. */
const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  (client.connection.stream as Socket).unref();
  return client;
};
