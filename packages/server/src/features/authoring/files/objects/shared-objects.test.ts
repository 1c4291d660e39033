// @service postgresql
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock, seededRandom, systemClock } from '../../../../base/index.ts';
import { createLocalBlobs } from '../../../../store/blobs/local/index.ts';
import { openForTest } from '../../../../store/blobs/s3/testing/s3-places.ts';
import { S3Server } from '../../../../store/blobs/s3/testing/s3-server.ts';
import type { BlobStore, Store } from '../../../../store/contracts/index.ts';
import { withPostgres } from '../../../../store/postgres/testing/with-postgres.ts';
import { makeTestStore } from '../../../../store/sqlite/testing/test-store.ts';
import { ObjectCollector, StoredObjects } from './index.ts';

const DAY_MS = 86_400_000;
const BYTES = new TextEncoder().encode('bytes that two nodes want');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const FACTS = { mediaType: 'text/plain', filename: 'a.txt' };

/** The store of each node, which is one store, and the time it tells. */
interface NodeStores {
  readonly stores: readonly [Store, Store];
  /** Lets the store of either node see a time so much later. */
  later(ms: number): void;
}

/** An engine of bytes as two nodes open it: each call answers another instance over the same place. */
type OpenPlace = () => Promise<() => Promise<BlobStore>>;

const localPlace: OpenPlace = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-shared-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  let opened = 0;
  return async () => createLocalBlobs({ dir, random: seededRandom(++opened), leftBeforeMs: 0 });
};

/** Blobs whose next deletion is held where a slow disk or service would hold it. */
const held = (blobs: BlobStore) => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: Pick<BlobStore, 'delete'> = {
    delete: async (sha256) => {
      reached.resolve();
      await goOn.promise;
      await blobs.delete(sha256);
    },
  };
  return { blobs: { ...withMethods(blobs), ...slow }, reached: reached.promise, goOn: () => goOn.resolve() };
};

const withMethods = (blobs: BlobStore): BlobStore => ({
  put: (...given) => blobs.put(...given),
  read: (sha256) => blobs.read(sha256),
  stream: (...given) => blobs.stream(...given),
  stat: (sha256) => blobs.stat(sha256),
  delete: (sha256) => blobs.delete(sha256),
  list: (...given) => blobs.list(...given),
});

const hold = (store: Store, holder: string) =>
  store.write((tx) =>
    tx.objects.addReference({
      ...{ namespace: 'n', sha256: SHA256, sizeBytes: BYTES.length, mediaType: '', holder, at: tx.now() },
    }),
  );

const casesOf = (open: () => Promise<NodeStores>, openPlace: OpenPlace): void => {
  const nodes = async () => {
    const [{ stores, later }, openBlobs] = [await open(), await openPlace()];
    const [here, there] = stores;
    const [ours, theirs] = [await openBlobs(), await openBlobs()];
    return {
      ...{ here, there, ours, theirs, later },
      /** Of the other node. */
      objects: new StoredObjects({ store: there, blobs: theirs, clock: systemClock }),
    };
  };

  it('leaves bytes that another node stored, and found already there, until it refers to them', async () => {
    const { here, there, ours, later, objects } = await nodes();
    const collector = new ObjectCollector({ store: here, blobs: ours });
    await ours.put(BYTES);
    await collector.sweep();
    later(2 * DAY_MS);
    await objects.store('n', BYTES, FACTS);
    expect(await collector.tick()).toBe(0);
    await hold(there, 'h');
    later(2 * DAY_MS);
    expect([await collector.tick(), await ours.read(SHA256)]).toEqual([0, Buffer.from(BYTES)]);
    await there.write((tx) => tx.objects.dropReferences('h', tx.steadyNow()));
    later(DAY_MS + 1);
    expect([await collector.tick(), await ours.stat(SHA256)]).toEqual([1, undefined]);
  });

  it('is waited for by a node that stores the bytes which it is removing', async () => {
    const { here, there, ours, later, objects } = await nodes();
    const slow = held(ours);
    const collector = new ObjectCollector({ store: here, blobs: slow.blobs });
    await ours.put(BYTES);
    await collector.sweep();
    later(2 * DAY_MS);
    const collecting = collector.tick();
    await slow.reached;
    const storing = objects.store('n', BYTES, FACTS).then(() => hold(there, 'h'));
    await expect(hold(there, 'too early')).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
    slow.goOn();
    expect(await collecting).toBe(1);
    await storing;
    expect(await ours.read(SHA256)).toEqual(Buffer.from(BYTES));
    later(2 * DAY_MS);
    expect([await collector.tick(), await ours.stat(SHA256)]).toEqual([0, { sizeBytes: BYTES.length }]);
  });

  it('that cannot remove bytes tells so, and another one takes them up', async () => {
    const { here, there, ours, theirs, later } = await nodes();
    await ours.put(BYTES);
    const broken = { ...withMethods(ours), delete: () => Promise.reject(new Error('no such luck')) };
    await new ObjectCollector({ store: here, blobs: ours }).sweep();
    later(2 * DAY_MS);
    await expect(new ObjectCollector({ store: here, blobs: broken }).tick()).rejects.toThrow('no such luck');
    const other = new ObjectCollector({ store: there, blobs: theirs });
    expect(await other.tick()).toBe(0);
    later(DAY_MS);
    expect([await other.tick(), await ours.stat(SHA256)]).toEqual([1, undefined]);
  });
};

const openSqlite = async (): Promise<NodeStores> => {
  const { store, clock, dispose } = await makeTestStore({ durability: 'off' });
  onTestFinished(dispose);
  return { stores: [store, store], later: (ms) => clock.advance(ms) };
};

const casesOfPlaces = (open: () => Promise<NodeStores>): void => {
  describe('over one directory', () => casesOf(open, localPlace));
  describe('over one bucket', () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await S3Server.start();
    });
    afterAll(() => server[Symbol.asyncDispose]());
    casesOf(open, async () => {
      const { prefix } = await openForTest(server);
      return async () => (await openForTest(server, { prefix })).blobs;
    });
  });
};

describe('a collector on SQLite', () => casesOfPlaces(openSqlite));

withPostgres('a collector of one of two nodes on PostgreSQL', (postgres) => {
  casesOfPlaces(async () => {
    const [one, other] = await postgres.stores(2);
    return { stores: [one!.store, other!.store], later: (ms) => one!.clock.advance(ms) };
  });
});

it('bytes whose removal does not end are refused after some time', async () => {
  const { stores, later } = await openSqlite();
  const [store] = stores;
  await store.write((tx) => tx.objects.adopt(SHA256, BYTES.length, tx.steadyNow()));
  later(2 * DAY_MS);
  await store.write((tx) => tx.objects.condemn(tx.steadyNow(), tx.steadyNow(), 1));
  const clock = new ManualClock();
  const hurried = Object.assign(clock, {
    after: (_ms: number, fire: () => void) => {
      queueMicrotask(fire);
      return () => undefined;
    },
  });
  const objects = new StoredObjects({ store, blobs: await (await localPlace())(), clock: hurried });
  await expect(objects.store('n', BYTES, FACTS)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
});
