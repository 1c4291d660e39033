import { describe, expect, it } from 'vitest';
import {
  DUMP_TABLES,
  type DumpRow,
  type Store,
  type StoreDump,
  type StoreLoad,
  sessionHolder,
} from '../contracts/index.ts';
import { fillDescribed } from './described-samples.ts';
import {
  draft,
  id,
  key,
  message,
  openFor,
  permission,
  type StoreUnderTest,
  session,
  turn,
} from './store-under-test.ts';

/** A store whose contents can be read out, and an empty one next to it that can be filled. */
export interface DumpUnderTest extends StoreUnderTest {
  dump(): Promise<StoreDump>;
  /** Begins to fill a fresh empty store of the same engine. */
  load(): Promise<StoreLoad>;
  /** Opens what `load` filled; an abandoned load leaves an empty store. */
  openLoaded(): Promise<Store>;
}

type MakeDumpable = () => Promise<DumpUnderTest>;

const open = (make: MakeDumpable): Promise<DumpUnderTest> => openFor(make) as Promise<DumpUnderTest>;

/** All rows of a dump by table; closes it. */
const contents = async (dump: StoreDump): Promise<Readonly<Record<string, readonly DumpRow[]>>> => {
  const found: Record<string, readonly DumpRow[]> = {};
  for (const table of DUMP_TABLES) found[table.name] = await Array.fromAsync(dump.rows(table));
  await dump.close();
  return found;
};

/** Rows in every table, told apart by every index. */
const fill = async (store: Store): Promise<void> => {
  await store.write(async (tx) => {
    await tx.instance.setValue('mine', 'ünicode \u0000 and more');
    const owner = await tx.resources.insert(draft('owner', { labels: { tier: 'gold', 'a/b': '' } }));
    const owned = { ...key('owned'), kind: 'Knowledge' };
    const facts = { apiVersion: 'svc/v1', kind: 'Agent', namespace: 'default', name: 'owner', uid: owner.uid };
    const owners = [{ ...facts, controller: true, blockOwnerDeletion: false }];
    await tx.resources.insert(draft(owned, { owners, finalizers: ['f'], annotations: { x: '{"y":1}' } }));
    await tx.resources.insert(draft('gone'));
    const gone = await tx.resources.get(key('gone'));
    await tx.resources.remove(key('gone'), gone?.version ?? 0);
    await tx.resources.setActivity(owner.uid, '{"seen":1}');
    await tx.log.insertSession(
      session(id(1), { labels: { who: 'me' }, admission: 1.5, fence: 3, state: 'PROCESSING', activeTurnId: id(1, 2) }),
    );
    await tx.log.insertMessage(message(id(1), id(1, 1), { parts: '[{"text":"hello"}]', labels: { l: 'v' } }));
    const claim = { worker: 'w', claimExpiresAt: 9_000_000, fence: 3, attempt: 1, state: 'RUNNING' } as const;
    await tx.log.insertTurn(turn(id(1, 2), id(1), { ...claim, admission: 0.25 }));
    await tx.log.appendJournal([{ turnId: id(1, 2), index: 0, kind: 'PARK', at: 5, body: '{}' }]);
    await tx.log.insertSteer({ sessionId: id(1), messageId: id(2, 1), turnId: id(1, 2), bytes: 3, body: '{}' });
    await tx.log.insertPermission(permission(id(1, 3), id(1, 2)));
    await tx.queue.put({ kind: 'k', key: 'a', dueAt: 7, attempts: 0, payload: 'p' });
    await tx.leases.acquire('lease', 'me', tx.steadyNow(), 1_000_000);
    await tx.idempotency.insert({ scope: 's', requestHash: 'h', answer: '{}', expiresAt: tx.steadyNow() + 9_000_000 });
    const audit = { at: 1, requestId: 'r', identity: 'i', operation: 'o', target: 't', namespace: 'default' };
    for (const name of ['b', 'a']) await tx.audit.append({ ...audit, id: name, outcome: 'ok', resourceVersion: '1' });
    await tx.audit.setHashes([{ id: 'b', hash: 'hash of b' }]);
    await tx.counters.add('c', 0, 60, 5);
    const object = { namespace: 'default', sizeBytes: 4, mediaType: 'text/plain', at: 2 };
    await tx.objects.addReference({ ...object, sha256: 'a'.repeat(64), holder: sessionHolder(id(1)) });
    await tx.objects.adopt('b'.repeat(64), 9, 3);
    await tx.channels.lock('channel');
    await tx.channels.insertMessage({ channelUid: 'channel', id: id(1, 4), createdAt: 4, body: '{"text":"hi"}' });
    await tx.channels.appendEvents('channel', [{ kind: 1, at: 4, messageId: id(1, 4), body: '{}' }]);
    await tx.search.index({
      ...{ source: owner.uid, kind: 'Knowledge', namespace: 'default', name: 'owned', path: 'Notes/One', updatedAt: 6 },
      pathWords: 'notes one',
      chunks: [
        { heading: 'Top', text: 'the plain words', words: 'the plain words' },
        { heading: '', text: 'camelCase', words: 'camel case' },
      ],
    });
    await tx.artifacts.put({ id: id(1, 5), sessionId: id(1), body: '{"name":"x"}' });
    await fillDescribed(tx);
  });
};

const copyInto = async (dump: StoreDump, load: StoreLoad): Promise<void> => {
  for (const table of DUMP_TABLES) await load.insert(table, await Array.fromAsync(dump.rows(table)));
  await dump.close();
  await load.finish();
};

/** What readers of every contract see of `fill`. */
const seen = (store: Store): Promise<unknown> =>
  store.read(async (tx) => {
    const gold = [{ op: 'in', key: 'tier', values: ['gold'] }] as const;
    const mine = [{ op: 'in', key: 'who', values: ['me'] }] as const;
    const history = { events: 100, since: 0 };
    return [
      await tx.instance.value('mine'),
      await tx.resources.list({ scope: { type: 'all' }, limit: 10 }),
      await tx.resources.list({ scope: { type: 'all' }, kind: 'Agent', labels: gold, limit: 10 }),
      await tx.resources.dependents('uid-owner', 10),
      await tx.resources.changes(0, 100),
      await tx.resources.versionRange(),
      [...(await tx.resources.activity(['uid-owner']))],
      await tx.log.sessions({ namespace: 'default', agent: 'agent', labels: mine, limit: 10 }),
      await tx.log.messagesAfter(id(1), '', 10),
      await tx.log.turns(id(1), { limit: 10 }),
      await tx.log.openTurns(id(1)),
      await tx.log.journal(id(1, 2)),
      await tx.log.steers(id(1)),
      await tx.log.permissionsOfTurn(id(1, 2)),
      await tx.audit.list({ limit: 10 }),
      await tx.audit.chainHead(),
      [...(await tx.counters.sum(['c'], { endsAfter: 0, startsAfter: -1, startsBy: 1_000_000 }))],
      await tx.objects.hasReference('default', 'a'.repeat(64)),
      await tx.channels.events('channel', 0, 10),
      await tx.channels.eventRange('channel', history),
      await tx.search.match({ namespaces: ['default'], terms: ['case'], limit: 10 }),
      await tx.search.matchPath({ namespaces: ['default'], parts: ['one'], limit: 10 }),
      await tx.artifacts.page('ofSession', { sessionId: id(1) }, { limit: 10 }),
      await tx.idempotency.find('s', store.steadyNow()),
    ];
  });

/** Dump and load of an engine: what goes out comes in again, and writers do not tear it. */
export const dumpConformance = (engine: string, make: MakeDumpable): void => {
  describe(`dump and load of ${engine}`, () => {
    it('hand out every row of every table in its order', async () => {
      const made = await open(make);
      await fill(made.store);
      const dump = await made.dump();
      expect(dump.schema).toBeGreaterThan(0);
      const found = await contents(dump);
      expect(Object.entries(found).filter(([, rows]) => rows.length === 0)).toEqual([]);
      for (const { name, columns } of DUMP_TABLES)
        for (const row of found[name] ?? []) expect(Object.keys(row).sort()).toEqual(Object.keys(columns).sort());
      expect(found['audit']?.map((row) => row['id'])).toEqual(['b', 'a']);
      expect(found['sessions']?.[0]).toMatchObject({ admission: 1.5, fence: 3 });
    });

    it('give an equal store: the same rows, the same reads, the same epoch', async () => {
      const made = await open(make);
      await fill(made.store);
      const [before, readBefore] = [await contents(await made.dump()), await seen(made.store)];
      await copyInto(await made.dump(), await made.load());
      const { epoch } = made.store;
      const loaded = await made.openLoaded();
      expect(loaded.epoch).toBe(epoch);
      expect(await seen(loaded)).toEqual(readBefore);
      const { instance: _before, ...rows } = before;
      await loaded.close();
      const { instance: _after, ...again } = await contents(await made.dump());
      expect(again).toEqual(rows);
    });

    it('let versions, sequences and search go on behind what was loaded', async () => {
      const made = await open(make);
      await fill(made.store);
      const { newest } = await made.store.direct.resources.versionRange();
      await copyInto(await made.dump(), await made.load());
      const loaded = await made.openLoaded();
      const written = await loaded.write(async (tx) => {
        const [event] = await tx.channels.appendEvents('channel', [{ kind: 1, at: 9, messageId: '', body: '{}' }]);
        await tx.audit.append({
          ...{ id: 'c', at: 2, requestId: '', identity: '', operation: '', target: '', namespace: '' },
          ...{ outcome: '', resourceVersion: '' },
        });
        await tx.search.remove('uid-owner');
        const place = { source: 'new', kind: 'Knowledge', namespace: 'default', name: 'n', path: 'new', updatedAt: 1 };
        await tx.search.index({ ...place, pathWords: 'new', chunks: [{ heading: '', text: 'case', words: 'case' }] });
        return { resource: await tx.resources.insert(draft('later')), event };
      });
      expect(written.resource.version).toBeGreaterThan(newest);
      expect(written.event?.sequence).toBe(2);
      expect((await loaded.direct.audit.list({ limit: 9 })).map((row) => row.id)).toEqual(['c', 'a', 'b']);
      const found = await loaded.direct.search.match({ namespaces: ['default'], terms: ['case', 'plain'], limit: 9 });
      expect(found.map((hit) => hit.source)).toEqual(['new']);
      await loaded.close();
    });

    it('show one state of a store that is being written', async () => {
      const { store, dump } = await open(make);
      let isOver = false;
      const writer = async (name: string): Promise<void> => {
        for (let count = 1; !isOver; count++)
          await store.write(async (tx) => {
            await tx.instance.setValue(`left-${name}`, String(count));
            await tx.counters.add(`right-${name}`, 0, 60, 1);
          });
      };
      const names = ['a', 'b', 'c', 'd'];
      const writers = names.map(writer);
      const states = [];
      for (let count = 0; count < 3; count++) states.push(await contents(await dump()));
      isOver = true;
      await Promise.all(writers);
      for (const { instance = [], counters = [] } of states) {
        const left = new Map(instance.map((row) => [row['name'], Number(row['value'])]));
        const right = new Map(counters.map((row) => [row['key'], row['amount']]));
        expect(names.map((name) => left.get(`left-${name}`))).toEqual(names.map((name) => right.get(`right-${name}`)));
      }
    });

    it('refuse columns that the store does not know and take rows without newer ones', async () => {
      const made = await open(make);
      const load = await made.load();
      const [instance] = DUMP_TABLES;
      if (instance === undefined) throw new Error('there are tables');
      await load.insert(instance, [{ name: 'a', value: 'b' }]);
      await expect(load.insert(instance, [{ name: 'c', value: 'd', colour: 'red' }])).rejects.toMatchObject({
        reason: 'SCHEMA_TOO_OLD',
      });
      await load.abandon();
    });

    it('leave nothing of a load that was abandoned', async () => {
      const made = await open(make);
      await fill(made.store);
      const load = await made.load();
      const dump = await made.dump();
      for (const table of DUMP_TABLES) await load.insert(table, await Array.fromAsync(dump.rows(table)));
      await dump.close();
      await load.abandon();
      await load.abandon();
      const opened = await made.openLoaded();
      expect(await opened.direct.resources.list({ scope: { type: 'all' }, limit: 9 })).toEqual([]);
      expect(await opened.direct.instance.value('mine')).toBeUndefined();
      await opened.close();
    });
  });
};
