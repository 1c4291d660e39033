// @service postgresql
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { withPostgres } from './with-postgres.ts';

const ONE_SETTING = `SELECT pg_backend_pid() AS pid, current_setting('work_mem') AS memory,
  current_setting('application_name') AS program, (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
  (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks`;

interface Seen {
  readonly pid: number;
  readonly [fact: string]: unknown;
}

withPostgres('sessions that tests use one after the other', (postgres) => {
  const connected = async (url: string, program = 'svc'): Promise<Client> => {
    const client = new Client({ connectionString: url, application_name: program });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const seenBy = async (client: Client): Promise<Seen> => (await client.query<Seen>(ONE_SETTING)).rows[0] as Seen;
  const pidOf = async (client: Client): Promise<number> => (await seenBy(client)).pid;

  it('show the next client nothing of the last one, also in another test', async () => {
    const first = await postgres.databases.take();
    const client = await connected(first.url);
    const before = await seenBy(client);
    expect(before).toMatchObject({ program: 'svc', prepared: 0, locks: 0 });
    await client.query({ name: 'mine', text: 'SELECT 1' });
    await client.query(`SET work_mem = '1MB'`);
    await client.query('SELECT pg_advisory_lock(7)');
    await client.end();
    const again = await connected(first.url);
    expect(await seenBy(again)).toEqual(before);
    await again.end();
    await first.drop();
    const second = await postgres.databases.take();
    const later = await connected(second.url);
    expect(await seenBy(later)).toEqual(before);
    await later.end();
    await second.drop();
  });

  it('are of clients with the same settings only, and one at a time', async () => {
    const { url, drop } = await postgres.databases.take();
    const clients = [await connected(url), await connected(url), await connected(url, 'other')];
    expect(new Set(await Promise.all(clients.map(pidOf))).size).toBe(3);
    expect((await Promise.all(clients.map(seenBy))).map(({ program }) => program)).toEqual(['svc', 'svc', 'other']);
    await Promise.all(clients.map((client) => client.end()));
    await drop();
  });

  it('end with what was left unfinished in them', async () => {
    const { url, drop } = await postgres.databases.take();
    const client = await connected(url);
    const pid = await pidOf(client);
    await client.query('BEGIN');
    await client.query('CREATE TABLE unfinished (n integer)');
    await client.end();
    const next = await connected(url);
    expect(await pidOf(next)).not.toBe(pid);
    expect((await next.query(`SELECT to_regclass('unfinished') AS found`)).rows).toEqual([{ found: null }]);
    const busy = next.query('SELECT pg_sleep(60)').catch(() => 'cut off');
    await drop();
    expect(await busy).toBe('cut off');
  });

  it('are out of reach by the name of a test that is over', async () => {
    const { url, drop } = await postgres.databases.take();
    const client = await connected(url);
    await drop();
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await expect(connected(url)).rejects.toMatchObject({ code: '3D000' });
  });
});
