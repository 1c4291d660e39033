import process from 'node:process';
import { createInterface } from 'node:readline';
import { PostgresServer, postgresProgram } from './postgres-server.ts';
import type { ReusedDatabase } from './reused-databases.ts';
import { runSql, TestDatabases } from './test-store.ts';

/**
 * A PostgreSQL server for tests outside this package. Answers one line each: `ready` at the start, or `none` on a machine
 * without PostgreSQL; to `create` the address of a fresh database; to `take` that of a migrated one whose sessions are kept for the
 * next process that connects, until `give ADDRESS`; `ok` to that and to `down`, `crash`, `up` and `cut`, which ends every connection
 * of svc. Ends with its standard input.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const GIVE = 'give ';
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'`;

if (postgresProgram() === undefined) say('none');
else {
  await using server = await PostgresServer.start({ isDurable: true });
  let count = 0;
  const create = async (): Promise<string> => {
    const name = `e${++count}`;
    await runSql(server.url('postgres'), `CREATE DATABASE ${name}`);
    return server.url(name);
  };
  const databases = new TestDatabases(server);
  const taken = new Map<string, ReusedDatabase>();
  const take = async (): Promise<string> => {
    const database = await databases.take();
    taken.set(database.url, database);
    return database.url;
  };
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'create' || line === 'take') {
      say(await (line === 'take' ? take() : create()));
      continue;
    }
    if (line.startsWith(GIVE)) await taken.get(line.slice(GIVE.length))?.drop();
    else if (line === 'cut') await runSql(server.url('postgres'), CUT);
    else if (line === 'up') await server.up();
    else await server.down(line === 'crash' ? 'immediate' : 'fast');
    say('ok');
  }
}
