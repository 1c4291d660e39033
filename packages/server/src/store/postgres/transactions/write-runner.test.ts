// @service postgresql
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../base/index.ts';
import { draft, key, session, turn } from '../../conformance/index.ts';
import type { Store, WriteTx } from '../../contracts/index.ts';
import { withPostgres } from '../testing/with-postgres.ts';

/** Resolves for everybody when `count` have come; those who come later do not wait. */
const meeting = (count: number): (() => Promise<void>) => {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return async () => {
    if (++come >= count) all.resolve();
    await all.promise;
  };
};

const numberIn = async (tx: WriteTx, name: string): Promise<{ value: number; version: number }> => {
  const found = await tx.resources.get(key(name));
  const { value } = JSON.parse(found?.spec ?? '{"value":0}') as { value: number };
  return { value, version: found?.version ?? 0 };
};

const setNumber = async (tx: WriteTx, name: string, next: { value: number; version: number }): Promise<void> => {
  const changed = draft(name, { spec: JSON.stringify({ value: next.value }) });
  if ((await tx.resources.replace(changed, next.version, ['spec'])) === undefined)
    throw new Fault('ABORTED', 'CONFLICT', 'the row was changed meanwhile');
};

withPostgres('write transactions of several processes', (postgres) => {
  const two = async (): Promise<[Store, Store]> =>
    (await postgres.stores(2)).map((made) => made.store) as [Store, Store];

  describe('come out as one after the other (S4, W1)', () => {
    it('though 64 writers change one row', async () => {
      const stores = await two();
      await stores[0].write((tx) => tx.resources.insert(draft('row', { spec: '{"value":0}' })));
      const increment = (store: Store) =>
        store.write(async (tx) => {
          const { value, version } = await numberIn(tx, 'row');
          await setNumber(tx, 'row', { value: value + 1, version });
        });
      await Promise.all(Array.from({ length: 64 }, (_, index) => increment(stores[index % 2 === 0 ? 0 : 1])));
      expect((await stores[0].write((tx) => numberIn(tx, 'row'))).value).toBe(64);
      const changes = await stores[1].direct.resources.changes(0, 100);
      expect(changes.map((change) => (JSON.parse(change.resource.spec) as { value: number }).value)).toEqual(
        Array.from({ length: 65 }, (_, index) => index),
      );
    });

    it('though each reads what the other writes', async () => {
      const stores = await two();
      await stores[0].write(async (tx) => {
        for (const name of ['a', 'b']) await tx.resources.insert(draft(name, { spec: '{"value":1}' }));
      });
      const meet = meeting(2);
      const takeIfBoth = (store: Store, name: string) =>
        store.write(async (tx) => {
          const [a, b] = [await numberIn(tx, 'a'), await numberIn(tx, 'b')];
          await meet();
          if (a.value + b.value < 2) return 'refused';
          await setNumber(tx, name, { value: 0, version: (name === 'a' ? a : b).version });
          return 'taken';
        });
      const results = await Promise.all([takeIfBoth(stores[0], 'a'), takeIfBoth(stores[1], 'b')]);
      expect(results.sort()).toEqual(['refused', 'taken']);
    });

    it('though each looks for a row in vain that the other makes', async () => {
      const stores = await two();
      const meet = meeting(2);
      const insertUnless = (store: Store, other: string, name: string) =>
        store.write(async (tx) => {
          const found = await tx.resources.get(key(other));
          await meet();
          if (found !== undefined) return 'refused';
          await tx.resources.insert(draft(name));
          return 'made';
        });
      const results = await Promise.all([insertUnless(stores[0], 'a', 'b'), insertUnless(stores[1], 'b', 'a')]);
      expect(results.sort()).toEqual(['made', 'refused']);
    });

    it('though each lists what the other adds to', async () => {
      const stores = await two();
      await stores[0].write((tx) => tx.resources.insert(draft('first')));
      const meet = meeting(2);
      const insertUpTo = (store: Store, name: string, most: number) =>
        store.write(async (tx) => {
          const found = await tx.resources.list({ kind: 'Agent', scope: { type: 'all' }, limit: 10 });
          await meet();
          if (found.length >= most) return 'refused';
          await tx.resources.insert(draft(name));
          return 'made';
        });
      const results = await Promise.all([insertUpTo(stores[0], 'x', 2), insertUpTo(stores[1], 'y', 2)]);
      expect(results.sort()).toEqual(['made', 'refused']);
    });

    it('though each looks for documents and dependants that the other makes', async () => {
      const stores = await two();
      const owner = { apiVersion: 'svc/v1', kind: 'Agent', namespace: '', name: 'o', uid: 'u', controller: true };
      const document = (source: string) => ({
        ...{ source, kind: 'Knowledge', namespace: 'n', name: source, path: 'p', updatedAt: 1, pathWords: 'p' },
        chunks: [{ heading: '', text: 'x', words: 'x' }],
      });
      const meet = meeting(2);
      const work = (store: Store, name: string) =>
        store.write(async (tx) => {
          const place = { kind: 'Knowledge', namespaces: ['n'], path: 'p', limit: 1 };
          const taken = (await tx.search.directory(place)).length + (await tx.resources.dependents('u', 1)).length;
          await meet();
          if (taken > 0) return 'refused';
          await tx.search.index(document(name));
          await tx.resources.insert(draft(name, { owners: [{ ...owner, blockOwnerDeletion: true }] }));
          return 'made';
        });
      const results = await Promise.all([work(stores[0], 'x'), work(stores[1], 'y')]);
      expect(results.sort()).toEqual(['made', 'refused']);
    });

    it('and let a function list what it then changes, page by page', async () => {
      const [store] = await two();
      await store.write(async (tx) => {
        for (const name of ['a', 'b', 'c']) await tx.resources.insert(draft(name));
      });
      await store.write(async (tx) => {
        const page = await tx.resources.list({ kind: 'Agent', scope: { type: 'all' }, limit: 2 });
        for (const each of page) await tx.resources.remove(each.key, each.version);
        await tx.resources.insert(draft('d'));
      });
      const left = await store.direct.resources.list({ scope: { type: 'all' }, limit: 9 });
      expect(left.map((each) => each.key.name)).toEqual(['c', 'd']);
    });

    it('and tell the one that comes second that a key is taken, or let it take the other way', async () => {
      const stores = await two();
      const meet = meeting(2);
      const apply = (store: Store, value: number) =>
        store.write(async (tx) => {
          const found = await tx.resources.get(key('a'));
          await meet();
          const next = draft('a', { spec: JSON.stringify({ value }) });
          if (found === undefined) await tx.resources.insert(next);
          else await tx.resources.replace(next, found.version, ['spec']);
        });
      await Promise.all([apply(stores[0], 1), apply(stores[1], 2)]);
      const kinds = (await stores[0].direct.resources.changes(0, 9)).map((change) => change.change);
      expect(kinds).toEqual(['created', 'updated']);
    });

    it('and repeat a function that failed on what was stale, and one that swallowed it', async () => {
      const stores = await two();
      await stores[0].write((tx) => tx.resources.insert(draft('a', { spec: '{"value":1}' })));
      let runs = 0;
      const result = await stores[0].write(async (tx) => {
        runs++;
        const read = await numberIn(tx, 'a');
        if (runs === 1)
          await stores[1].write(async (other) => {
            const { value, version } = await numberIn(other, 'a');
            await setNumber(other, 'a', { value: value + 1, version });
          });
        await tx.savepoint(() => setNumber(tx, 'a', { ...read, value: read.value + 10 })).catch(() => undefined);
        if (read.value === 1) throw new Fault('NOT_FOUND', 'X', 'decided on a value that is gone');
        return read.value;
      });
      expect([result, runs]).toEqual([2, 2]);
      expect((await stores[0].write((tx) => numberIn(tx, 'a'))).value).toBe(12);
    });

    it('for small values and activity too', async () => {
      const stores = await two();
      const add = (store: Store) =>
        store.write(async (tx) => {
          const count = Number((await tx.instance.value('count')) ?? 0);
          await tx.instance.setValue('count', String(count + 1));
          const seen = Number((await tx.resources.activity(['u'])).get('u') ?? 0);
          await tx.resources.setActivity('u', String(seen + 1));
        });
      await Promise.all(Array.from({ length: 30 }, (_, index) => add(stores[index % 2 === 0 ? 0 : 1])));
      expect(await stores[0].direct.instance.value('count')).toBe('30');
      expect((await stores[0].direct.resources.activity(['u'])).get('u')).toBe('30');
    });

    it('and take a removed value for a change, whether it is written again, removed again or only read', async () => {
      const stores = await two();
      const outcomes = new Map<string, string | undefined>();
      const decide = async (name: string, act: (tx: WriteTx) => Promise<void>): Promise<void> => {
        await stores[0].write((tx) => tx.instance.setValue(name, 'held'));
        let runs = 0;
        await stores[0].write(async (tx) => {
          const seen = await tx.instance.value(name);
          if (++runs === 1) await stores[1].write((other) => other.instance.removeValue(name));
          if (seen !== undefined) await act(tx);
          outcomes.set(name, seen);
        });
        expect(runs).toBe(2);
      };
      await decide('rewritten', (tx) => tx.instance.setValue('rewritten', 'mine'));
      await decide('removed', (tx) => tx.instance.removeValue('removed'));
      await decide('read', (tx) => tx.instance.setValue('elsewhere', 'mine'));
      expect([...outcomes.values()]).toEqual([undefined, undefined, undefined]);
      expect(await stores[0].direct.instance.value('elsewhere')).toBeUndefined();
    });

    it('and take a value that came for a change where there had been none to remove', async () => {
      const stores = await two();
      for (const looks of [true, false]) {
        const name = looks ? 'looked for' : 'not looked for';
        let runs = 0;
        await stores[0].write(async (tx) => {
          if (looks) await tx.instance.value(name);
          await tx.instance.removeValue(name);
          if (++runs === 1) await stores[1].write((other) => other.instance.setValue(name, 'came'));
          await tx.instance.setValue('done', name);
        });
        expect([runs, await stores[1].direct.instance.value(name)]).toEqual([2, undefined]);
      }
    });

    it('for activity that some replace and others add to', async () => {
      const stores = await two();
      const add = (store: Store) =>
        store.write(async (tx) => {
          const seen = (await tx.resources.activity(['u'])).get('u') ?? '';
          await tx.resources.setActivity('u', `${seen}+`);
        });
      const replace = (store: Store) => store.write((tx) => tx.resources.setActivity('u', '='));
      const work = Array.from({ length: 30 }, (_, index) =>
        (index % 5 === 0 ? replace : add)(stores[index % 2 === 0 ? 0 : 1]),
      );
      await Promise.all([...work, replace(stores[0])]);
      const settled = (await stores[1].direct.resources.activity(['u'])).get('u') ?? '';
      expect(settled).toMatch(/^=\+*$/);
      await add(stores[1]);
      expect((await stores[0].direct.resources.activity(['u'])).get('u')).toBe(`${settled}+`);
    });

    it('in the second run at the latest, however many rows this process knows in an older version', async () => {
      const [one, other] = await two();
      const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
      await one.write(async (tx) => {
        for (const name of names) await tx.resources.insert(draft(name, { spec: '{"value":0}' }));
      });
      let runs = 0;
      const addToAll = (store: Store) =>
        store.write(async (tx) => {
          runs += 1;
          for (const name of names) {
            const { value, version } = await numberIn(tx, name);
            await setNumber(tx, name, { value: value + 1, version });
          }
        });
      const readAll = () =>
        other.write(async (tx) => {
          for (const name of names) await tx.resources.get(key(name));
        });
      // Twice: what was found unchanged is known from then on.
      for (let round = 0; round < 2; round++) await readAll();
      await addToAll(one);
      runs = 0;
      await addToAll(other);
      expect(runs).toBe(2);
      const numbers = await other.write((tx) => Promise.all(names.map((name) => numberIn(tx, name))));
      expect(new Set(numbers.map(({ value }) => value))).toEqual(new Set([2]));
    });

    it('though this process knows an older version of what was read', async () => {
      const stores = await two();
      await stores[0].write((tx) => tx.resources.insert(draft('a', { spec: '{"value":1}' })));
      const seen = () => stores[0].write(async (tx) => (await numberIn(tx, 'a')).value);
      expect([await seen(), await seen(), await seen()]).toEqual([1, 1, 1]);
      await stores[1].write(async (tx) => {
        const { version } = await numberIn(tx, 'a');
        await setNumber(tx, 'a', { value: 2, version });
      });
      expect(await seen()).toBe(2);
      await stores[1].write(async (tx) => {
        const { version } = await numberIn(tx, 'a');
        await setNumber(tx, 'a', { value: 3, version });
      });
      const refuse = stores[0].write(async (tx) => {
        throw new Fault('NOT_FOUND', 'X', `saw ${(await numberIn(tx, 'a')).value}`);
      });
      await expect(refuse).rejects.toThrow('saw 3');
    });

    it('and a call whose idempotency key another call is using answers what that one stored', async () => {
      const stores = await two();
      const meet = meeting(2);
      const call = (store: Store, answer: string) =>
        store.write(async (tx) => {
          const found = await tx.idempotency.find('scope', tx.steadyNow());
          await meet();
          if (found !== undefined) return found.answer;
          await tx.idempotency.insert({
            scope: 'scope',
            requestHash: 'h',
            answer,
            expiresAt: tx.steadyNow() + 1_000_000,
          });
          return answer;
        });
      const [first, second] = await Promise.all([call(stores[0], 'one'), call(stores[1], 'two')]);
      expect(first).toBe(second);
    });
  });

  it('wait longer and longer for rows that another one keeps, so that it may take its time', async () => {
    const pauses: number[] = [];
    const pause = async (ms: number): Promise<void> => {
      pauses.push(ms);
      await nextTurn();
    };
    const [one, other] = (await postgres.stores(2, { pause })).map((made) => made.store) as [Store, Store];
    await one.write((tx) => tx.resources.insert(draft('a')));
    const held = Promise.withResolvers<void>();
    let isOver = false;
    const keeping = one.write(async (tx) => {
      const found = await tx.resources.get(key('a'));
      if (found !== undefined) await tx.resources.replace(found, found.version, ['spec']);
      held.resolve();
      for (let looks = 0; !isOver && looks < 100_000; looks++)
        await tx.counters.sum(['x'], { startsAfter: 0, startsBy: 1, endsAfter: 0 });
    });
    await held.promise;
    pauses.length = 0;
    const refused = other.write(async (tx) => {
      await tx.resources.get(key('a'));
      await tx.instance.setValue('n', '1');
    });
    await expect(refused).rejects.toMatchObject({ reason: 'STORAGE', message: 'too many writes of the same rows' });
    isOver = true;
    await keeping;
    expect(pauses.length).toBeGreaterThan(10);
    expect(pauses.slice(10).filter((ms) => ms < 250 || ms > 500)).toEqual([]);
  });

  it('hand each due item and each ready turn to one taker', async () => {
    const stores = await two();
    const count = 40;
    await stores[0].write(async (tx) => {
      for (let index = 0; index < count; index++) {
        const sessionId = `s${index}`;
        await tx.queue.put({ kind: 'k', key: `${index}`, dueAt: 1, attempts: 0, payload: '' });
        await tx.log.insertSession(session(sessionId));
        await tx.log.insertTurn(turn(`t${index}`, sessionId, { ready: true, namespace: `n${index % 3}` }));
      }
    });
    const taken: string[] = [];
    const take = async (store: Store): Promise<void> => {
      for (let misses = 0; misses < 5 && taken.length < 2 * count; ) {
        const found = await store.write(async (tx) => {
          const items = await tx.queue.take(['k'], 10, 1_000_000, 3);
          const turns = await tx.log.readyTurns(3);
          for (const each of turns) await tx.log.saveTurn({ ...each, state: 'RUNNING', ready: false });
          return [...items.map((item) => `item ${item.key}`), ...turns.map((each) => `turn ${each.id}`)];
        });
        taken.push(...found);
        if (found.length === 0) misses++;
      }
    };
    await Promise.all([take(stores[0]), take(stores[1]), take(stores[0]), take(stores[1])]);
    expect(taken.length).toBe(2 * count);
    expect(new Set(taken).size).toBe(2 * count);
  });

  it('leave a ready turn alone while its session is held', async () => {
    const stores = await two();
    await stores[0].write(async (tx) => {
      await tx.log.insertSession(session('s'));
      await tx.log.insertTurn(turn('t', 's', { ready: true }));
    });
    const ready = () => stores[1].write(async (tx) => (await tx.log.readyTurns(5)).map((each) => each.id));
    await stores[0].write(async (tx) => {
      await tx.log.lockSession('s');
      expect(await ready()).toEqual([]);
    });
    expect(await ready()).toEqual(['t']);
  });

  it('number the events of a channel without holes though some are undone', async () => {
    const stores = await two();
    const posts = Array.from({ length: 40 }, (_, index) =>
      stores[index % 2 === 0 ? 0 : 1].write(async (tx) => {
        if (index % 3 === 0) await tx.channels.lock('c');
        await tx.channels.appendEvents('c', [{ kind: 2, at: index, messageId: '', body: '{}' }]);
        if (index % 4 === 0) throw new Error('refused');
      }),
    );
    await Promise.allSettled(posts);
    const sequences = (await stores[0].direct.channels.events('c', 0, 99)).map((row) => row.sequence);
    expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('add up under a lock of counters taken in any order', async () => {
    const stores = await two();
    const reserve = (store: Store, keys: readonly string[]) =>
      store.write(async (tx) => {
        await tx.counters.lock(keys);
        const used = (await tx.counters.sum(['a'], { endsAfter: 0, startsAfter: -1, startsBy: 1 })).get('a')?.used ?? 0;
        if (used >= 5) return false;
        await tx.counters.add('a', 0, 10, 1);
        return true;
      });
    const tries = Array.from({ length: 20 }, (_, index) =>
      reserve(stores[index % 2 === 0 ? 0 : 1], index % 3 === 0 ? ['b', 'a'] : ['a', 'b']),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(5);
  });

  it('mark an object unreferenced when two holders let go of it at once', async () => {
    const stores = await two();
    const object = { namespace: 'n', sha256: 'x', sizeBytes: 1, mediaType: '', at: 1 };
    await stores[0].write(async (tx) => {
      for (const holder of ['h1', 'h2']) await tx.objects.addReference({ ...object, holder });
    });
    await Promise.all(
      ['h1', 'h2'].map((holder, index) => stores[index]!.write((tx) => tx.objects.dropReferences(holder, 7))),
    );
    expect(await stores[0].write((tx) => tx.objects.condemn(8, 9, 9))).toEqual(['x']);
  });

  it('get through when they lock sessions in opposite order', async () => {
    const stores = await two();
    await stores[0].write(async (tx) => {
      for (const name of ['s1', 's2']) await tx.log.insertSession(session(name));
    });
    const meet = meeting(2);
    const both = (store: Store, first: string, second: string) =>
      store.write(async (tx) => {
        const row = await tx.log.lockSession(first);
        await meet();
        await tx.log.lockSession(second);
        await tx.log.saveSession({ ...row!, fence: row!.fence + 1 });
      });
    await Promise.all([both(stores[0], 's1', 's2'), both(stores[1], 's2', 's1')]);
    const fences = await Promise.all(
      ['s1', 's2'].map(async (each) => (await stores[0].direct.log.session(each))?.fence),
    );
    expect(fences).toEqual([1, 1]);
  });

  it('write activity again that a savepoint had written and undone', async () => {
    const [store] = await two();
    await store.write((tx) => tx.resources.setActivity('uid', '{"n":0}'));
    let runs = 0;
    await store.write(async (tx) => {
      runs++;
      await tx.resources.activity(['uid']);
      const undone = tx.savepoint(async () => {
        await tx.resources.setActivity('uid', '{"n":1}');
        throw new Fault('ABORTED', 'CONFLICT', 'refused');
      });
      await expect(undone).rejects.toThrow('refused');
      await tx.resources.setActivity('uid', '{"n":2}');
    });
    expect([runs, (await store.direct.resources.activity(['uid'])).get('uid')]).toEqual([1, '{"n":2}']);
  });

  describe('take for granted what is nearly always so, and run again and wait when it was not', () => {
    it('of a turn that was read and is another one by now', async () => {
      const stores = await two();
      await stores[0].write((tx) => tx.log.insertTurn(turn('t', 's', { state: 'RUNNING', fence: 1 })));
      const guard = { fence: 1, states: ['RUNNING'] as const };
      let runs = 0;
      const saved = await stores[0].write(async (tx) => {
        runs++;
        const read = await tx.log.turn('t');
        if (runs === 1) await stores[1].write((other) => other.log.saveTurn({ ...read!, fence: 2 }));
        const isSaved = await tx.log.saveTurn({ ...read!, state: 'COMPLETED' }, guard);
        if (runs === 1) expect(isSaved).toBe(true);
        return isSaved;
      });
      expect([saved, runs]).toEqual([false, 2]);
      expect(await stores[0].direct.log.turn('t')).toMatchObject({ state: 'RUNNING', fence: 2 });
    });

    it('of ids that are taken, also in a savepoint, and for a function that fails otherwise', async () => {
      const [store] = await two();
      const message = { ...{ id: 'm', sessionId: 's', role: 1, createdAt: 1, labels: {} }, turnId: '', parts: '[]' };
      await store.write(async (tx) => {
        await tx.log.insertMessage({ ...message, revision: 1 });
        await tx.log.insertSession(session('s'));
      });
      const taken = { code: 'ALREADY_EXISTS', reason: 'MESSAGE_EXISTS' };
      await expect(store.write((tx) => tx.log.insertMessage({ ...message, revision: 2 }))).rejects.toMatchObject(taken);
      const refused = store.write((tx) => tx.log.insertSession(session('s')));
      await expect(refused).rejects.toMatchObject({ reason: 'SESSION_EXISTS' });
      const reasons: unknown[] = [];
      await store.write(async (tx) => {
        reasons.length = 0;
        const note = (error: unknown): void => void reasons.push((error as Fault).reason);
        await tx.savepoint(() => tx.log.insertMessage({ ...message, revision: 3 })).catch(note);
        await tx.instance.setValue('n', 'went on');
      });
      expect([reasons, await store.direct.instance.value('n')]).toEqual([['MESSAGE_EXISTS'], 'went on']);
      const failing = store.write(async (tx) => {
        await tx.log.insertMessage({ ...message, revision: 4 });
        throw new Fault('NOT_FOUND', 'X', 'decided on what was taken for granted');
      });
      await expect(failing).rejects.toMatchObject(taken);
      expect((await store.direct.log.message('s', 'm'))?.revision).toBe(1);
    });

    it('of a savepoint that was kept, though a later one swallows what follows from it', async () => {
      const [store] = await two();
      const entry = { turnId: 't', index: 0, kind: 'PARK', at: 1, body: '' };
      await store.write((tx) => tx.log.appendJournal([entry]));
      const outcomes: boolean[] = [];
      const attempt = (work: Promise<unknown>): Promise<boolean> =>
        work.then(
          () => true,
          () => false,
        );
      await store.write(async (tx) => {
        outcomes.push(await attempt(tx.savepoint(() => tx.log.appendJournal([entry]))));
        outcomes.push(await attempt(tx.savepoint(() => tx.instance.value('n'))));
        outcomes.push(await attempt(tx.savepoint(() => tx.instance.setValue('n', 'kept'))));
      });
      expect(outcomes.slice(-3)).toEqual([false, true, true]);
      expect(outcomes.length).toBe(6);
      expect(await store.direct.instance.value('n')).toBe('kept');
    });
  });

  it('refuse a handle that is used after its function ended', async () => {
    const [store] = await two();
    let kept: WriteTx | undefined;
    await store.write(async (tx) => {
      kept = tx;
    });
    await expect(kept!.instance.value('n')).rejects.toThrow('after its function ended');
    await expect(kept!.savepoint(async () => 1)).rejects.toThrow('after its function ended');
    expect(() => kept!.afterCommit(() => undefined)).toThrow('after its function ended');
  });
});
