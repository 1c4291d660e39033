import process from 'node:process';
import { createInterface } from 'node:readline';
import { PostgresServer, postgresProgram } from './postgres-server.ts';
import { runSql } from './test-store.ts';

/**
 * A PostgreSQL server for tests outside this package. Answers one line each: `ready` at the start, or `none` on a machine
 * without PostgreSQL; to `create` the address of a fresh database; `ok` to `down`, `crash` and `up`. Ends with its standard
 * input.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (postgresProgram() === undefined) say('none');
else {
  await using server = await PostgresServer.start({ isDurable: true });
  let count = 0;
  const create = async (): Promise<string> => {
    const name = `e${++count}`;
    await runSql(server.url('postgres'), `CREATE DATABASE ${name}`);
    return server.url(name);
  };
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'create') {
      say(await create());
      continue;
    }
    if (line === 'up') await server.up();
    else await server.down(line === 'crash' ? 'immediate' : 'fast');
    say('ok');
  }
}
