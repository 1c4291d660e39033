// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { withPostgres } from '../testing/with-postgres.ts';
import { composed, Database } from './index.ts';

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
});
