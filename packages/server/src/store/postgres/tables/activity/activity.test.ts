// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../../base/index.ts';
import { composed, Database, type Session, type SqlValue, type Statement } from '../../connection/index.ts';
import { withPostgres } from '../../testing/with-postgres.ts';
import { readActivity, setActivity } from './index.ts';

/** More connections than slots: some share one, whatever processes they belong to. */
const CONNECTIONS = 17;
const SLOT = composed<{ slot: number }>('SELECT pg_backend_pid() % 16 AS slot');

withPostgres('slots of activity', (postgres) => {
  const open = async () => {
    const url = await postgres.databases.create();
    const database = new Database({ url, log: silentLog, poolSize: CONNECTIONS, isSynced: true });
    const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => database.acquire()));
    onTestFinished(async () => {
      for (const session of sessions) session.release(true);
      await database.close();
    });
    return sessions;
  };
  /** Writes in a transaction that stays open; resolves when the row is written. */
  const begin = async (session: Session, body: string): Promise<void> => {
    const sent: Promise<unknown>[] = [session.command('BEGIN')];
    const later = (sql: Statement<unknown>, values?: readonly SqlValue[]): void =>
      void sent.push(session.run(sql, values));
    setActivity(Object.assign(Object.create(session) as Session, { later, assume: () => false }), 'uid', body);
    await Promise.all(sent);
  };
  const newest = async (session: Session): Promise<string | undefined> =>
    (await readActivity(session, ['uid'])).get('uid');

  it('that connections share hold what was written last, through whichever of them', async () => {
    const sessions = await open();
    const [reader] = sessions;
    for (const [index, session] of [...sessions, ...sessions.toReversed()].entries()) {
      await begin(session, `write ${index}`);
      await session.command('COMMIT');
      expect(await newest(reader!)).toBe(`write ${index}`);
    }
  });

  it('that two transactions meet in make one wait for the other, and no write fails', async () => {
    const sessions = await open();
    const slots = await Promise.all(sessions.map(async (session) => (await session.one(SLOT)).slot));
    const second = slots.findIndex((slot, index) => slots.indexOf(slot) < index);
    const [first, waiting] = [sessions[slots.indexOf(slots[second]!)]!, sessions[second]!];
    await begin(first, 'first');
    const met = begin(waiting, 'second');
    await first.command('COMMIT');
    await met;
    await waiting.command('COMMIT');
    expect(await newest(first)).toBe('second');
  });
});
