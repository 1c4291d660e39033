import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client } from 'pg';

/** A migrated database for one test or suite. */
export interface ReusedDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database is used for so many tests: rows that were deleted still take place in it. */
const USES = 25;
/** Ends every other session of the database, and waits until they have ended. */
const END_OTHERS =
  'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
/** Leaves what a migration of an empty database leaves. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT quote_ident(relname) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations'
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  FOR name IN SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace
  LOOP EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART'; END LOOP;
END $$`;
/** Changes when a table, a column, an index, a trigger or a function was made, changed or removed, or a migration taken back. */
const SHAPE = `SELECT md5(string_agg(line, ';' ORDER BY line)) AS shape FROM (
  SELECT relname || relkind::text AS line FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT concat(c.relname, '.', a.attname, a.atttypid, a.attnotnull) FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0
  UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT tgname || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT proname || md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT row_to_json(m)::text FROM schema_migrations m) AS lines`;

interface Used {
  readonly name: string;
  readonly uses: number;
}

/**
 * Migrated databases of one test process on one server. To make one and to remove it again takes three times as long as most
 * tests, so they are emptied and used again; under another name, so that what a test left running reaches its database no more
 * than if it was removed.
 */
export class ReusedDatabases {
  readonly #server: string;
  readonly #template: string;
  readonly #used: Used[] = [];
  #connection: Promise<Client> | undefined;
  #shape: Promise<string> | undefined;

  /** `template` names a database of the server at the address `server` that is migrated and holds nothing. */
  constructor(server: string, template: string) {
    this.#server = server;
    this.#template = template;
  }

  async take(): Promise<ReusedDatabase> {
    const name = `given_${randomUUID().replaceAll('-', '')}`;
    const used = this.#used.pop();
    if (used === undefined) {
      await this.#run(`CREATE DATABASE ${name} TEMPLATE ${this.#template}`);
      return this.#given({ name, uses: 1 });
    }
    // What still runs on it would connect again at once.
    await this.#run(`ALTER DATABASE ${used.name} ALLOW_CONNECTIONS false`);
    await this.#run(END_OTHERS, [used.name]);
    await this.#run(`ALTER DATABASE ${used.name} RENAME TO ${name}`);
    await this.#run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    if (await this.#isEmptied(name)) return this.#given({ name, uses: used.uses + 1 });
    await this.#drop(name);
    return this.take();
  }

  #given(database: Used): ReusedDatabase {
    const drop = async (): Promise<void> => {
      if (database.uses < USES) this.#used.push(database);
      else await this.#drop(database.name);
    };
    return { url: this.#url(database.name), drop };
  }

  #drop(name: string): Promise<void> {
    return this.#run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  /** False for a database whose tables are no longer those of the template. */
  async #isEmptied(name: string): Promise<boolean> {
    this.#shape ??= this.#templateShape();
    const wanted = await this.#shape;
    const client = await connect(this.#url(name));
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

  async #run(text: string, values: unknown[] = []): Promise<void> {
    this.#connection ??= this.#connect();
    await (await this.#connection).query(text, values);
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

const shapeOf = async (client: Client): Promise<string> => String((await client.query(SHAPE)).rows[0]?.shape);

/** Does not keep the process. */
const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  (client.connection.stream as Socket).unref();
  return client;
};
