// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import type { Store, TurnRow } from '../../contracts/index.ts';
import { Database } from '../connection/index.ts';
import type { PostgresStoreOptions } from '../index.ts';
import { CuttingProxy } from '../testing/cutting-proxy.ts';
import { openTestStore, runSql } from '../testing/test-store.ts';
import { withPostgres } from '../testing/with-postgres.ts';
import { findDeadWorkers, Presences } from './index.ts';

const FAR = 9e15;

const turn = (id: string, worker: string): TurnRow => ({
  ...{ id, sessionId: `session-${id}`, namespace: 'default', agent: 'agent', admission: 1, state: 'RUNNING' },
  ...{ ready: false, attempt: 1, fence: 1, worker, claimExpiresAt: FAR, stopRequested: false, wakeAt: 0 },
  ...{ createdAt: 1, finishedAt: 0, userMessageId: '', body: '{}' },
});

const dead = async (store: Store): Promise<string[]> =>
  (await store.write((tx) => tx.log.deadClaims(10))).map((row) => row.worker);

/** Resolves when called. */
const signal = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { raised: promise, raise: () => resolve() };
};

withPostgres('the presence of workers', (postgres) => {
  const rows = async (url: string): Promise<unknown[]> =>
    (await runSql(url, `SELECT owner FROM leases WHERE name LIKE 'presence/%' ORDER BY owner`)).map(
      (row) => row['owner'],
    );
  /** Ends the connection that holds the lock of a worker. */
  const cut = (url: string, worker: string) =>
    runSql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
         AND (classid::bigint << 32) | objid::bigint = hashtextextended($1, 4)`,
      [`presence/${worker}`],
    );
  const two = async (options: Partial<PostgresStoreOptions> = {}) => {
    const [first, second] = await postgres.stores(2, options);
    return { url: first!.url, clock: first!.clock, mine: first!.store, other: second!.store };
  };

  it('of another process that vanished says so at once, of one that older releases run never', async () => {
    const { mine, url, clock } = await two();
    const { proxy, url: through } = await CuttingProxy.start(url);
    const { store: vanishing } = await openTestStore({ url: through, clock });
    onTestFinished(() => vanishing.close());
    await mine.announce('mine', () => undefined);
    await vanishing.announce('theirs', () => undefined);
    await mine.write(async (tx) => {
      for (const row of [turn('a', 'theirs'), turn('b', 'of an older release'), turn('c', 'mine')])
        await tx.log.insertTurn(row);
    });
    expect(await dead(mine)).toEqual([]);
    await proxy[Symbol.asyncDispose]();
    await expect.poll(() => dead(mine)).toEqual(['theirs']);
  });

  it('that lost its connection for a moment is not taken for dead: its lock is looked at twice', async () => {
    const { mine, url } = await two();
    await mine.announce('mine', () => undefined);
    await runSql(url, `INSERT INTO leases VALUES ('presence/away', 'away', 0), ('presence/gone', 'gone', 0)`);
    const sessions = new Database({ url, log: silentLog, poolSize: 2, isSynced: true });
    onTestFinished(() => sessions.close());
    const away = await sessions.acquire();
    const grace = () => away.script(`SELECT pg_advisory_lock(hashtextextended('presence/away', 4))`);
    const looking = await sessions.acquire();
    await looking.command('BEGIN');
    expect(await findDeadWorkers(looking, { worker: () => 'mine', grace })).toEqual(['gone']);
    await looking.command('COMMIT');
    for (const session of [away, looking]) session.release(true);
  });

  it('that was cut takes its lock again and is told (P1, P2)', async () => {
    const back = signal();
    const { mine, other, url } = await two();
    await mine.announce('mine', () => undefined);
    await other.announce('theirs', back.raise);
    await mine.write((tx) => tx.log.insertTurn(turn('a', 'theirs')));
    await cut(url, 'theirs');
    await back.raised;
    expect(await rows(url)).toEqual(['mine', 'theirs']);
    expect(await dead(mine)).toEqual([]);
  });

  it('that cannot be shown is withdrawn: its claims count by their leases alone until it is back (P2)', async () => {
    const back = signal();
    const { mine, other, url } = await two();
    await mine.announce('mine', () => undefined);
    await other.announce('theirs', back.raise);
    await mine.write((tx) => tx.log.insertTurn(turn('a', 'theirs')));
    // Somebody else in the place of its lock, as its own connection of before when that hangs.
    const blocker = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    const session = await blocker.acquire();
    const waiting = session.script(`SELECT pg_advisory_lock(hashtextextended('presence/theirs', 4))`);
    await cut(url, 'theirs');
    await waiting;
    await expect.poll(() => rows(url)).toEqual(['mine']);
    session.release(true);
    await blocker.close();
    expect(await dead(mine)).toEqual([]);
    await back.raised;
    expect(await rows(url)).toEqual(['mine', 'theirs']);
  });

  it('that was lost judges nobody before others had the time to come back too (P3)', async () => {
    const back = signal();
    const { mine, other, url, clock } = await two();
    await mine.announce('mine', back.raise);
    const theirs = await other.announce('theirs', () => undefined);
    await mine.write((tx) => tx.log.insertTurn(turn('a', 'theirs')));
    await cut(url, 'mine');
    await back.raised;
    await theirs.close();
    clock.advance(9_999);
    expect(await dead(mine)).toEqual([]);
    clock.advance(1);
    expect(await dead(mine)).toEqual(['theirs']);
  });

  it('of dead workers is forgotten once they hold nothing', async () => {
    const { mine, other, url } = await two();
    await mine.announce('mine', () => undefined);
    const idle = await other.announce('idle', () => undefined);
    const busy = await other.announce('busy', () => undefined);
    await mine.write((tx) => tx.log.insertTurn(turn('a', 'busy')));
    await Promise.all([idle.close(), busy.close()]);
    expect(await dead(mine)).toEqual(['busy']);
    expect(await rows(url)).toEqual(['busy', 'mine']);
    await mine.write((tx) => tx.log.saveTurn({ ...turn('a', ''), state: 'QUEUED', claimExpiresAt: 0 }));
    expect(await dead(mine)).toEqual([]);
    expect(await rows(url)).toEqual(['mine']);
  });

  it('is asked of nobody where the own lock is not seen, as after a fail-over', async () => {
    const { mine, other, url } = await two();
    await mine.announce('mine', () => undefined);
    await mine.write((tx) => tx.log.insertTurn(turn('a', 'theirs')));
    await (await other.announce('theirs', () => undefined)).close();
    const database = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    onTestFinished(() => database.close());
    const judge = (worker: string | undefined) =>
      findDeadWorkers(database, { worker: () => worker, grace: async () => undefined });
    expect(await judge('mine')).toEqual(['theirs']);
    expect(await Promise.all(['theirs', 'unknown', undefined].map(judge))).toEqual([[], [], []]);
    expect(await dead(other)).toEqual([]);
  });

  it('is looked after: a connection that does not answer shows nothing, and another takes its place', async () => {
    const { url } = await two();
    const { proxy, url: through } = await CuttingProxy.start(url);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const back = signal();
    const clock = new ManualClock();
    const calls = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    onTestFinished(() => calls.close());
    const connect = () => new Database({ url: through, log: silentLog, poolSize: 1, isSynced: true, silenceMs: 50 });
    const pause = async (): Promise<void> => proxy.swallow(undefined);
    const presences = new Presences({ connect, calls, clock, random: seededRandom(1), log: silentLog, pause });
    onTestFinished(() => presences.close());
    await presences.announce('w', back.raise);
    clock.advance(2_000);
    expect(presences.worker()).toBe('w');
    proxy.swallow('everything');
    clock.advance(2_000);
    await back.raised;
    expect([presences.worker(), await rows(url)]).toEqual([undefined, ['w']]);
    clock.advance(10_000);
    expect(presences.worker()).toBe('w');
  });

  it('is shown later where no connection is to be had at first, and never after the store was closed', async () => {
    const { mine } = await two();
    await mine.close();
    await expect(mine.announce('late', () => undefined)).rejects.toMatchObject({ reason: 'SHUTTING_DOWN' });
    const url = await postgres.databases.create();
    const back = signal();
    const calls = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    onTestFinished(() => calls.close());
    const connect = () => new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    const pause = async (): Promise<void> => undefined;
    const presences = new Presences({
      ...{ connect, calls, clock: new ManualClock(), random: seededRandom(1), log: silentLog, pause },
    });
    const blocker = new Database({ url, log: silentLog, poolSize: 1, isSynced: true });
    const session = await blocker.acquire();
    await session.script(`SELECT pg_advisory_lock(hashtextextended('presence/w', 4))`);
    await presences.announce('w', back.raise);
    expect(presences.worker()).toBeUndefined();
    session.release(true);
    await blocker.close();
    await back.raised;
    expect(await rows(url)).toEqual(['w']);
    await presences.close();
  });
});
