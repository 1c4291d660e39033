// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { Fault, silentLog } from '../../base/index.ts';
import { draft, key, session } from '../conformance/index.ts';
import type { Store } from '../contracts/index.ts';
import { composed, Database } from './connection/index.ts';
import { examinePostgres, type PostgresStoreOptions } from './index.ts';
import { withMigrationLock } from './migrate.ts';
import { CuttingProxy } from './testing/cutting-proxy.ts';
import { openTestStore, runSql } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

/** Long for a server that answers, short for a test that waits for one that does not. */
const SILENCE_MS = 1_500;
const STORAGE = { code: 'UNAVAILABLE', reason: 'STORAGE' };

/** What a caller may see says nothing about the database. */
const expectSafe = (fault: Fault): void => {
  expect(`${fault.message} ${JSON.stringify(fault.metadata)}`).not.toMatch(
    /postgres|127\.0|select|insert|svc@|relation/i,
  );
};

const failureOf = async (work: Promise<unknown>): Promise<Fault> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw new Error(`not refused with a Fault: ${String(error)}`);
  expectSafe(error);
  return error;
};

/** Ends every connection of the store; with `waitMs`, answers when they are ended and not only told to end. */
const kill = (url: string, waitMs = 0) =>
  runSql(
    url,
    `SELECT pg_terminate_backend(pid, $1) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'svc'`,
    [waitMs],
  );

const nameOf = async (store: Store, name: string) => (await store.direct.resources.get(key(name)))?.key.name;

withPostgres(
  'a store whose database fails',
  (postgres) => {
    const behindProxy = async (options: Partial<PostgresStoreOptions> = {}) => {
      const [made] = await postgres.stores(1);
      const { proxy, url } = await CuttingProxy.start(made!.url);
      const { store } = await openTestStore({ ...options, url });
      onTestFinished(async () => {
        await store.close();
        await proxy[Symbol.asyncDispose]();
      });
      return { proxy, store, beside: made!.store };
    };

    it('leaves nothing of a transaction whose connection was ended, and repeats it on another (W1)', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      let runs = 0;
      await store.write(async (tx) => {
        runs++;
        await tx.resources.insert(draft(`run-${runs}`));
        // One that ends a little later would be taken for the second run, and cost a third.
        if (runs === 1) await kill(url, 60_000);
        await tx.instance.setValue('n', '1');
      });
      expect([runs, await nameOf(store, 'run-1'), await nameOf(store, 'run-2')]).toEqual([2, undefined, 'run-2']);
      await kill(url);
      await expect(store.ping()).resolves.toBeUndefined();
      await kill(url);
      expect(await store.read((tx) => tx.instance.value('n'))).toBe('1');
    });

    it('gives up when every connection is ended, and passes the own Fault of a function through', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      const never = store.write(async (tx) => {
        await tx.instance.setValue('n', '1');
        await kill(url);
        await tx.instance.setValue('n', '2');
      });
      expect(await failureOf(never)).toMatchObject(STORAGE);
      const own = new Fault('NOT_FOUND', 'X', 'x');
      const failing = store.write(async (tx) => {
        await tx.instance.setValue('n', '1');
        await kill(url);
        await tx.savepoint(() => tx.instance.setValue('n', '2')).catch(() => undefined);
        throw own;
      });
      await expect(failing).rejects.toBe(own);
      expect(await store.direct.instance.value('n')).toBeUndefined();
    });

    it('says that it does not know when a commit was not answered, and does not repeat it (W3)', async () => {
      const { proxy, store, beside } = await behindProxy();
      let runs = 0;
      const effects: string[] = [];
      proxy.cutNext('after commit');
      const unknown = store.write(async (tx) => {
        runs++;
        await tx.resources.insert(draft('a'));
        tx.afterCommit(() => effects.push('ran'));
      });
      const fault = await failureOf(unknown);
      expect(fault).toMatchObject(STORAGE);
      expect(fault.message).toContain('not known');
      expect([runs, effects, await nameOf(beside, 'a'), await nameOf(store, 'a')]).toEqual([1, [], 'a', 'a']);
    });

    it('gives up a host that vanished without a word, and goes on when it is back', async () => {
      const { proxy, store } = await behindProxy({ silenceMs: SILENCE_MS });
      await store.write((tx) => tx.instance.setValue('n', '1'));
      let runs = 0;
      proxy.swallow('everything');
      const writing = store.write(async (tx) => {
        runs++;
        await tx.instance.value('n');
        await tx.instance.setValue('n', '2');
      });
      const fault = { ...STORAGE, message: 'the connection to the database was lost' };
      expect([await failureOf(writing), runs]).toMatchObject([fault, 1]);
      expect(await failureOf(store.read((tx) => tx.instance.value('n')))).toMatchObject(fault);
      proxy.swallow(undefined);
      proxy.cutAll();
      expect(await store.direct.instance.value('n')).toBe('1');
    });

    it('does not know of a commit after which the host vanished (W3)', async () => {
      const { proxy, store, beside } = await behindProxy({ silenceMs: SILENCE_MS });
      let runs = 0;
      proxy.swallow('answers after commit');
      const unknown = store.write(async (tx) => {
        runs++;
        await tx.resources.insert(draft('a'));
      });
      expect((await failureOf(unknown)).message).toContain('not known');
      expect([runs, await nameOf(beside, 'a')]).toEqual([1, 'a']);
      proxy.swallow(undefined);
      proxy.cutAll();
    });

    it('waits for a server that works longer than that where it was told to', async () => {
      const [made] = await postgres.stores(1);
      const database = new Database({ url: made!.url, log: silentLog, poolSize: 1, isSynced: true, silenceMs: 100 });
      onTestFinished(() => database.close());
      const slow = composed<{ slept: string }>('SELECT pg_sleep(0.5)::text AS slept');
      const session = await database.acquire();
      expect(await withMigrationLock(session, () => session.rows(slow))).toHaveLength(1);
      expect(session.lost).toBeUndefined();
      const impatient = await session.rows(slow).catch((error: unknown) => error);
      session.release(true);
      expect([impatient, session.wasSilent]).toEqual([session.lost, true]);
      expect(await failureOf(database.rows(slow))).toMatchObject(STORAGE);
    });

    it('is as careful when the commit did not even arrive', async () => {
      const { proxy, store, beside } = await behindProxy();
      proxy.cutNext('before commit');
      const fault = await failureOf(store.write((tx) => tx.resources.insert(draft('a'))));
      expect(fault.message).toContain('not known');
      expect(await nameOf(beside, 'a')).toBeUndefined();
      await store.write((tx) => tx.resources.insert(draft('a')));
      expect(await nameOf(store, 'a')).toBe('a');
    });

    it('refuses while the server is away and goes on when it is back, with what was acknowledged', async () => {
      const [made] = await postgres.stores(1);
      const { store } = made!;
      await store.write((tx) => tx.resources.insert(draft('kept')));
      await postgres.server.down('immediate');
      expect(await failureOf(store.ping())).toMatchObject(STORAGE);
      expect(await failureOf(store.direct.instance.value('n'))).toMatchObject(STORAGE);
      expect(await failureOf(store.read((tx) => tx.instance.value('n')))).toMatchObject(STORAGE);
      expect(await failureOf(store.write((tx) => tx.instance.setValue('n', '1')))).toMatchObject(STORAGE);
      expect(await failureOf(openTestStore({ url: made!.url }))).toMatchObject(STORAGE);
      await postgres.server.up();
      await store.ping();
      expect(await nameOf(store, 'kept')).toBe('kept');
      await store.write((tx) => tx.resources.insert(draft('new')));
      expect((await store.direct.resources.changes(0, 9)).map((change) => change.resource.key.name)).toEqual([
        'kept',
        'new',
      ]);
    });

    it('closes though the database is away, with a word in the log', async () => {
      const said: string[] = [];
      const url = await postgres.databases.create();
      const { store } = await openTestStore({ url, log: { ...silentLog, warn: (message) => said.push(message) } });
      await postgres.server.down('immediate');
      await store.close();
      await postgres.server.up();
      expect(said).toContain('the store clock could not be noted at the end');
    });

    it('passes the Fault of a read through when the connection goes with it', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      const cut = store.read(async (tx) => {
        await tx.instance.value('n');
        await kill(url);
        return tx.instance.value('n');
      });
      expect(await failureOf(cut)).toMatchObject(STORAGE);
      expect(await store.read((tx) => tx.instance.value('n'))).toBeUndefined();
    });

    it('takes its locks back from a write that fell silent, which then begins anew (W4)', async () => {
      const [made, other] = await postgres.stores(2);
      await made!.store.write((tx) => tx.log.insertSession(session('s')));
      const isHeld = Promise.withResolvers<void>();
      const wakes = Promise.withResolvers<void>();
      let runs = 0;
      const silent = made!.store.write(async (tx) => {
        const row = await tx.log.lockSession('s');
        runs++;
        isHeld.resolve();
        await wakes.promise;
        await tx.log.saveSession({ ...row!, fence: row!.fence + 1 });
      });
      await isHeld.promise;
      await other!.store.write(async (tx) => {
        const row = await tx.log.lockSession('s');
        await tx.log.saveSession({ ...row!, fence: 10 });
      });
      wakes.resolve();
      await silent;
      expect([runs, (await made!.store.direct.log.session('s'))?.fence]).toEqual([2, 11]);
    });

    it('repeats a refusal that it could not look at again, because the connection ended meanwhile', async () => {
      let isCutting = false;
      const { proxy, store } = await behindProxy({
        faults: (point) => {
          if (isCutting && point === 'store.statement') proxy.cutAll();
        },
      });
      let runs = 0;
      const refused = failureOf(
        store.write(async (tx) => {
          runs += 1;
          isCutting = false;
          await tx.resources.get(key('absent'));
          // What was read is asked again behind the refusal: the connection goes with that question.
          isCutting = runs === 1;
          throw new Fault('FAILED_PRECONDITION', 'TEST', 'refused');
        }),
      );
      expect([await refused, runs]).toEqual([expect.objectContaining({ reason: 'TEST' }), 2]);
    });

    it('undoes a write whose function failed just when the connection went', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      const failing = store.write(async (tx) => {
        await tx.resources.get(key('a'));
        await tx.resources.insert(draft('b'));
        await kill(url);
        throw new Error('the function failed');
      });
      await failing.catch(() => undefined);
      expect(await nameOf(store, 'b')).toBeUndefined();
    });

    it('passes on why a COMMIT was refused, and does not repeat the write (W3)', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      await runSql(
        url,
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'serialization_failure'; END $$;
         CREATE CONSTRAINT TRIGGER late AFTER INSERT ON resources DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
      let runs = 0;
      const refused = store.write(async (tx) => {
        runs++;
        await tx.instance.value('n');
        await tx.resources.insert(draft('a'));
      });
      expect(await failureOf(refused)).toMatchObject(STORAGE);
      expect([runs, await nameOf(store, 'a')]).toEqual([1, undefined]);
    });

    it('calls a full disk by its name, once in the log, is not ready meanwhile, and recovers by itself', async () => {
      const url = await postgres.databases.create();
      const lines: string[] = [];
      const note = (text: string) => void lines.push(text);
      const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
      const { store, clock } = await openTestStore({ url, log });
      onTestFinished(() => store.close());
      await runSql(
        url,
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON leases FOR EACH ROW EXECUTE FUNCTION full_disk()`,
      );
      const full = { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL', message: "the server's disk is full" };
      for (let write = 0; write < 3; write++)
        expect(await failureOf(store.write((tx) => tx.leases.acquire('a', 'b', 1, 1)))).toMatchObject(full);
      expect(await failureOf(store.ping())).toMatchObject(full);
      expect(lines).toEqual([
        "the server's disk is full: writes are refused until there is room again, reads continue",
      ]);
      await runSql(url, 'DROP TRIGGER full_disk ON leases');
      clock.advance(11_000);
      // What only reads, as every idle poll does, says nothing of the disk.
      await store.write((tx) => tx.instance.value('n'));
      expect(await failureOf(store.ping())).toMatchObject(full);
      await store.write((tx) => tx.leases.acquire('a', 'b', 1, 1));
      await store.ping();
    });

    it('says that the database of store.url does not exist, and what to do', async () => {
      const url = (await postgres.databases.create()).replace(/\/[^/]+$/, '/nowhere');
      expect(await failureOf(openTestStore({ url }))).toMatchObject({
        ...STORAGE,
        message: 'the database that store.url names does not exist: create it (createdb NAME), or correct store.url',
      });
    });

    it('refuses what the database refuses, at once or at the commit, and a function that went on regardless', async () => {
      const [made] = await postgres.stores(1);
      const { store, url } = made!;
      const steer = { sessionId: 's', messageId: 'm', turnId: 't', bytes: 1, body: '' };
      await store.write((tx) => tx.log.insertSteer(steer));
      expect(await failureOf(store.write((tx) => tx.log.insertSteer(steer)))).toMatchObject(STORAGE);
      const regardless = store.write(async (tx) => {
        await tx.log.insertSteer(steer).catch(() => undefined);
        return 1;
      });
      expect(await failureOf(regardless)).toMatchObject(STORAGE);
      await runSql(url, 'ALTER TABLE sessions ADD UNIQUE (agent) DEFERRABLE INITIALLY DEFERRED');
      const late = store.write(async (tx) => {
        for (const id of ['s1', 's2']) await tx.log.insertSession(session(id));
      });
      expect(await failureOf(late)).toMatchObject(STORAGE);
      expect(await store.direct.log.session('s1')).toBeUndefined();
    });

    it('lets a savepoint take back a statement that failed', async () => {
      const [made] = await postgres.stores(1);
      const { store } = made!;
      const entry = { turnId: 't', index: 0, kind: 'PARK', at: 1, body: '' };
      await store.write(async (tx) => {
        await tx.log.appendJournal([entry]);
        const again = tx.savepoint(() => tx.log.appendJournal([entry]));
        expect(await failureOf(again)).toMatchObject(STORAGE);
        await tx.instance.setValue('n', 'went on');
      });
      expect([await store.direct.instance.value('n'), (await store.direct.log.journal('t')).length]).toEqual([
        'went on',
        1,
      ]);
    });

    it('ends a write that finds something else changed each time', async () => {
      const [made, other] = await postgres.stores(2);
      let runs = 0;
      const unlucky = made!.store.write(async (tx) => {
        const name = `n${++runs}`;
        await tx.instance.value(name);
        await other!.store.write((beside) => beside.instance.setValue(name, 'taken'));
        await tx.instance.setValue('done', '1');
      });
      const fault = await failureOf(unlucky);
      expect([fault.reason, fault.message, runs]).toEqual(['STORAGE', 'too many writes of the same rows', 40]);
      expect(await made!.store.direct.instance.value('done')).toBeUndefined();
    });

    it('waits for the disk unless it is told not to', async () => {
      const [made] = await postgres.stores(1);
      await runSql(made!.url, 'CREATE TABLE seen (setting text)');
      await runSql(
        made!.url,
        `CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
         CREATE TRIGGER see AFTER INSERT ON leases FOR EACH ROW EXECUTE FUNCTION see()`,
      );
      const { store } = await openTestStore({ url: made!.url, sync: 'off' });
      onTestFinished(() => store.close());
      await made!.store.write((tx) => tx.leases.acquire('a', 'b', 1, 1));
      await store.write((tx) => tx.leases.acquire('c', 'b', 1, 1));
      expect(await runSql(made!.url, 'SELECT setting FROM seen')).toEqual([{ setting: 'on' }, { setting: 'off' }]);
    });

    it('is examined for its schema and for indexes that are not valid', async () => {
      const [made] = await postgres.stores(1);
      const { url } = made!;
      const examine = (signal: AbortSignal) => examinePostgres({ url, log: silentLog }, signal);
      const sound = await examine(new AbortController().signal);
      expect(sound).toEqual({ schema: sound.known, known: sound.known, problems: [] });
      await runSql(url, `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'queue_due'::regclass`);
      expect((await examine(new AbortController().signal)).problems).toEqual([
        'index queue_due is not valid: REINDEX it',
      ]);
      await expect(examine(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    });
  },
  { isDurable: true },
);
