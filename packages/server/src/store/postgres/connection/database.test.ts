// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { runSql } from '../testing/test-store.ts';
import { withPostgres } from '../testing/with-postgres.ts';
import { composed, Database, statement } from './index.ts';

const SETTINGS = composed<{ name: string; setting: string }>(
  `SELECT name, setting FROM pg_settings WHERE name IN
     ('application_name', 'lock_timeout', 'search_path', 'statement_timeout', 'synchronous_commit') ORDER BY name`,
);

withPostgres('connections to a database', (postgres) => {
  const settingsOf = async (query: string) => {
    const url = `${await postgres.databases.create()}${query}`;
    const database = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    onTestFinished(() => database.close());
    return Object.fromEntries((await database.rows(SETTINGS)).map(({ name, setting }) => [name, setting]));
  };
  const own = { application_name: 'svc', lock_timeout: '4000', statement_timeout: '5000', synchronous_commit: 'on' };

  it('keep their limits and their name whatever the address says', async () => {
    const query = '?application_name=mine&statement_timeout=0&lock_timeout=0&options=-c%20synchronous_commit%3Doff';
    expect(await settingsOf(query)).toMatchObject(own);
  });

  it('take other settings of the server from the address', async () => {
    expect(await settingsOf('?options=-c%20search_path%3Dtenant')).toEqual({ ...own, search_path: 'tenant' });
  });

  it('ask again for statements that left with one that was cancelled, or was wrong', async () => {
    const url = await postgres.databases.create();
    const database = new Database({ url, log: silentLog, poolSize: 1, lanes: 1, isSynced: true });
    onTestFinished(() => database.close());
    const [one, sleep] = [
      statement<{ n: number }>('SELECT 1 AS n'),
      statement(`SELECT 1 / (pg_sleep(30)::text = '')::int`),
    ];
    await runSql(url, 'CREATE TABLE seen (n integer)');
    const write = statement('INSERT INTO seen VALUES (1)');
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
      AND application_name = 'svc' AND query LIKE '%pg_sleep%' AND state = 'active'`;
    const asked = [database.run(write), database.rows(sleep), database.one(one)];
    const settled = Promise.allSettled(asked);
    while ((await runSql(url, cancel)).length === 0) await database.isClosed;
    expect(await settled).toMatchObject([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: { reason: 'STORAGE', message: 'the database took too long' } },
      { status: 'fulfilled', value: { n: 1 } },
    ]);
    expect(await runSql(url, 'SELECT n FROM seen')).toEqual([{ n: 1 }]);
    const wrong = [database.rows(statement('SELECT nothing')), database.one(one)];
    expect((await Promise.allSettled(wrong)).map((each) => each.status)).toEqual(['rejected', 'fulfilled']);
    await runSql(url, 'DROP TABLE seen');
    await expect(database.run(write)).rejects.toMatchObject({ message: 'the database refused the request' });
  });
});
