import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../base/index.ts';
import { draft, key, type MakeStore, openFor } from './store-under-test.ts';

export const transactionCases = (make: MakeStore): void => {
  describe('transactions', () => {
    it('answers the value of the function and shows its writes afterwards', async () => {
      const { store } = await openFor(make);
      await expect(store.write(async (tx) => (await tx.resources.insert(draft('a'))).key.name)).resolves.toBe('a');
      expect(await store.direct.resources.get(key('a'))).toBeDefined();
      expect(await store.read((tx) => tx.resources.get(key('a')))).toBeDefined();
    });

    it('passes a Fault through unchanged and leaves no trace of a failed function (S5)', async () => {
      const { store } = await openFor(make);
      const fault = new Fault('ABORTED', 'CONFLICT', 'refused');
      const failing = store.write(async (tx) => {
        await tx.resources.insert(draft('a'));
        await tx.queue.put({ kind: 'k', key: 'a', dueAt: 1, attempts: 0, payload: '' });
        throw fault;
      });
      await expect(failing).rejects.toBe(fault);
      expect(await store.direct.resources.get(key('a'))).toBeUndefined();
      expect(await store.write((tx) => tx.queue.nextDue(['k']))).toBeUndefined();
    });

    it('keeps the other functions of a group when one fails', async () => {
      const { store } = await openFor(make);
      const results = await Promise.allSettled(
        ['a', 'b', 'c'].map((name) =>
          store.write(async (tx) => {
            await tx.resources.insert(draft(name));
            if (name === 'b') throw new Fault('ABORTED', 'CONFLICT', 'refused');
          }),
        ),
      );
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const names = (await store.direct.resources.list({ scope: { type: 'all' }, limit: 10 })).map((r) => r.key.name);
      expect(names).toEqual(['a', 'c']);
    });

    it('lets others run while a function pauses, and shows them nothing of it before its end', async () => {
      const { store } = await openFor(make);
      const seen: unknown[] = [];
      let state: 'waits' | 'works' | 'over' = 'waits';
      const long = store.write(async (tx) => {
        state = 'works';
        for (const name of ['a', 'b', 'c']) {
          await tx.resources.insert(draft(name));
          // Until a reader was there: how long one takes is the engine's matter.
          do {
            await tx.pause();
            const own = await tx.resources.list({ scope: { type: 'all' }, limit: 10 });
            expect(own.at(-1)?.key.name).toBe(name);
          } while (seen.length === 0);
        }
        state = 'over';
      });
      const later = store.write((tx) => tx.resources.list({ scope: { type: 'all' }, limit: 10 }));
      while (state !== ('over' as string)) {
        const found = await store.read((tx) => tx.resources.list({ scope: { type: 'all' }, limit: 10 }));
        const direct = await store.direct.resources.get(key('a'));
        if (state === ('works' as string)) seen.push(found.length, direct);
        await turn();
      }
      await long;
      expect(seen.length).toBeGreaterThan(0);
      expect(new Set(seen)).toEqual(new Set([0, undefined]));
      await later;
      expect(await store.direct.resources.list({ scope: { type: 'all' }, limit: 10 })).toHaveLength(3);
    });

    it('undoes a function that failed after a pause, its savepoints with it', async () => {
      const { store } = await openFor(make);
      const failing = store.write(async (tx) => {
        await tx.resources.insert(draft('a'));
        await tx.savepoint(async () => {
          await tx.pause();
          await tx.resources.insert(draft('b'));
        });
        await tx.pause();
        throw new Fault('ABORTED', 'CONFLICT', 'refused');
      });
      const other = store.write((tx) => tx.resources.insert(draft('other')));
      await expect(failing).rejects.toMatchObject({ reason: 'CONFLICT' });
      await other;
      const found = await store.direct.resources.list({ scope: { type: 'all' }, limit: 10 });
      expect(found.map((each) => each.key.name)).toEqual(['other']);
    });

    it('lets functions that stand in one line follow each other, in whatever order they write', async () => {
      const { store } = await openFor(make);
      const names = ['a', 'b', 'c', 'd', 'e'];
      await store.write(async (tx) => {
        for (const name of names) await tx.resources.insert(draft(name));
      });
      let runs = 0;
      const touch = (order: readonly string[], line: readonly string[]) =>
        store.write(async (tx) => {
          runs += 1;
          await tx.inLine(line);
          for (const name of order) {
            const found = await tx.resources.get(key(name));
            if (found !== undefined) await tx.resources.replace(found, found.version, ['spec']);
            await tx.pause();
          }
        });
      const pairs = Array.from({ length: 4 }, () => [
        touch(names, ['one', 'other']),
        touch(names.toReversed(), ['other', 'one', 'one']),
      ]);
      await Promise.all(pairs.flat());
      await store.write((tx) => tx.inLine([]));
      expect(runs).toBe(8);
    });

    it('serialises writers that read and then write (S4)', async () => {
      const { store } = await openFor(make);
      const increment = () =>
        store.write(async (tx) => {
          const before = Number((await tx.instance.value('n')) ?? 0);
          await tx.instance.setValue('n', String(before + 1));
        });
      await Promise.all(Array.from({ length: 300 }, increment));
      expect(await store.direct.instance.value('n')).toBe('300');
    });

    it('gives a snapshot to a read and its own writes to a transaction', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.instance.setValue('n', '1');
        expect(await tx.instance.value('n')).toBe('1');
      });
      const numbers = Array.from({ length: 20 }, (_, index) => `${index}`);
      const writing = numbers.map((number) => store.write((tx) => tx.instance.setValue('n', number)));
      const reading = numbers.map(() =>
        store.read(async (tx) => [await tx.instance.value('n'), await tx.instance.value('n')]),
      );
      for (const [first, second] of await Promise.all(reading)) expect(second).toBe(first);
      await Promise.all(writing);
      expect(numbers).toContain(await store.direct.instance.value('n'));
    });

    it('removes a value with its row, whether it was there or not', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.instance.setValue('n', '1');
        await tx.instance.removeValue('never there');
      });
      await store.write(async (tx) => {
        expect(await tx.instance.value('n')).toBe('1');
        await tx.instance.removeValue('n');
        expect(await tx.instance.value('n')).toBeUndefined();
        await tx.instance.removeValue('n');
      });
      expect(await store.direct.instance.value('n')).toBeUndefined();
      await store.write(async (tx) => {
        expect(await tx.instance.value('n')).toBeUndefined();
        await tx.instance.removeValue('n');
        await tx.instance.setValue('n', '2');
      });
      expect(await store.direct.instance.value('n')).toBe('2');
      const undone = store.write(async (tx) => {
        await tx.instance.removeValue('n');
        throw new Fault('ABORTED', 'CONFLICT', 'refused');
      });
      await expect(undone).rejects.toThrow('refused');
      expect(await store.direct.instance.value('n')).toBe('2');
    });

    it('lets one of many writers take a value that all of them read (S4)', async () => {
      const { store } = await openFor(make);
      await store.write((tx) => tx.instance.setValue('token', 'one'));
      const take = (name: string) =>
        store.write(async (tx) => {
          if ((await tx.instance.value('token')) === undefined) return undefined;
          await tx.instance.removeValue('token');
          return name;
        });
      const takers = await Promise.all(Array.from({ length: 40 }, (_, index) => take(`taker ${index}`)));
      expect(takers.filter((taker) => taker !== undefined)).toHaveLength(1);
      expect(await store.direct.instance.value('token')).toBeUndefined();
    });

    it('runs reads that overlap one after the other', async () => {
      const { store } = await openFor(make);
      const reads = Array.from({ length: 20 }, () => store.read((tx) => tx.resources.versionRange()));
      expect(await Promise.all(reads)).toHaveLength(20);
    });

    it('passes a Fault of a read through', async () => {
      const { store } = await openFor(make);
      const fault = new Fault('NOT_FOUND', 'X', 'x');
      await expect(store.read(() => Promise.reject(fault))).rejects.toBe(fault);
      expect(await store.read((tx) => tx.instance.value('nothing'))).toBeUndefined();
    });
  });

  describe('savepoints', () => {
    it('undoes only its own writes and rethrows the Fault', async () => {
      const { store } = await openFor(make);
      const fault = new Fault('ABORTED', 'CONFLICT', 'refused');
      await store.write(async (tx) => {
        await tx.resources.insert(draft('before'));
        const failing = tx.savepoint(async () => {
          await tx.resources.insert(draft('inside'));
          throw fault;
        });
        await expect(failing).rejects.toBe(fault);
        await tx.resources.insert(draft('after'));
      });
      const found = await store.direct.resources.list({ scope: { type: 'all' }, limit: 10 });
      expect(found.map((r) => r.key.name)).toEqual(['after', 'before']);
      expect(new Set(found.map((r) => r.version)).size).toBe(2);
    });

    it('keeps a nested one that succeeds inside one that succeeds, and answers the value', async () => {
      const { store } = await openFor(make);
      const value = await store.write((tx) =>
        tx.savepoint(async () => {
          await tx.instance.setValue('outer', '1');
          await tx.savepoint(() => tx.instance.setValue('inner', '1'));
          return 7;
        }),
      );
      expect(value).toBe(7);
      expect(await store.direct.instance.value('inner')).toBe('1');
    });

    it('undoes a nested one together with the outer one', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        const outer = tx.savepoint(async () => {
          await tx.savepoint(() => tx.instance.setValue('inner', '1'));
          throw new Fault('ABORTED', 'CONFLICT', 'refused');
        });
        await outer.catch(() => undefined);
      });
      expect(await store.direct.instance.value('inner')).toBeUndefined();
    });

    it('undoes everything when the function itself fails after a kept savepoint', async () => {
      const { store } = await openFor(make);
      const failing = store.write(async (tx) => {
        await tx.savepoint(() => tx.instance.setValue('inner', '1'));
        throw new Fault('ABORTED', 'CONFLICT', 'refused');
      });
      await expect(failing).rejects.toThrow('refused');
      expect(await store.direct.instance.value('inner')).toBeUndefined();
    });
  });

  describe('effects after a commit', () => {
    it('run in order before the write resolves, and see the committed state', async () => {
      const { store } = await openFor(make);
      const order: string[] = [];
      await store
        .write(async (tx) => {
          tx.afterCommit(() => order.push('first'));
          tx.afterCommit(() => order.push('second'));
          await tx.instance.setValue('n', '1');
          order.push('function');
        })
        .then(() => order.push('resolved'));
      expect(order).toEqual(['function', 'first', 'second', 'resolved']);
    });

    it('never run for a failed transaction or an undone savepoint', async () => {
      const { store } = await openFor(make);
      const ran: string[] = [];
      await store
        .write(async (tx) => {
          tx.afterCommit(() => ran.push('failed'));
          throw new Fault('ABORTED', 'CONFLICT', 'refused');
        })
        .catch(() => undefined);
      await store.write(async (tx) => {
        tx.afterCommit(() => ran.push('kept'));
        const undone = tx.savepoint(async () => {
          tx.afterCommit(() => ran.push('undone'));
          throw new Fault('ABORTED', 'CONFLICT', 'refused');
        });
        await undone.catch(() => undefined);
      });
      expect(ran).toEqual(['kept']);
    });

    it('do not break other effects or the write when one throws', async () => {
      const { store } = await openFor(make);
      const ran: string[] = [];
      const writing = store.write(async (tx) => {
        tx.afterCommit(() => {
          throw new Error('effect');
        });
        tx.afterCommit(() => ran.push('next'));
        return 1;
      });
      await expect(writing).resolves.toBe(1);
      expect(ran).toEqual(['next']);
    });
  });

  describe('clock, epoch and life', () => {
    it.each([
      ['forward', 3_600_000],
      ['back', -3_600_000],
    ])('holds one time within a transaction and follows the clock of the machine %s', async (_, stepMs) => {
      const { store, clock } = await openFor(make);
      await store.write(async (tx) => {
        const times = [tx.now(), tx.steadyNow()];
        clock.advance(5);
        clock.stepWallClock(stepMs);
        expect([tx.now(), tx.steadyNow()]).toEqual(times);
      });
      expect(store.now()).toBe(clock.nowMicros());
      expect(await store.write(async (tx) => tx.now())).toBe(clock.nowMicros());
    });

    it('numbers what it writes in order and stamps it by the clock of the machine, however that is set', async () => {
      const { store, clock } = await openFor(make);
      const stamps: number[] = [];
      let version = 0;
      for (const [index, stepMs] of [0, 3_600_000, -7_200_000, 10].entries()) {
        clock.stepWallClock(stepMs);
        const stored = await store.write((tx) => tx.resources.insert(draft(`a${index}`)));
        expect(stored.version).toBeGreaterThan(version);
        stamps.push(stored.updatedAt - clock.nowMicros());
        version = stored.version;
      }
      expect(stamps).toEqual([0, 0, 0, 0]);
      const changes = await store.direct.resources.changes(0, 10);
      expect(changes.map((change) => change.resource.key.name)).toEqual(['a0', 'a1', 'a2', 'a3']);
    });

    it('has a steady clock that no setting of the machine moves', async () => {
      const { store, clock } = await openFor(make);
      const first = store.steadyNow();
      clock.stepWallClock(3_600_000);
      clock.advance(1);
      clock.stepWallClock(-7_200_000);
      clock.advance(1);
      expect(store.steadyNow()).toBe(first + 2_000);
      expect(await store.write(async (tx) => tx.steadyNow())).toBe(first + 2_000);
    });

    it('has a steady clock that is not behind itself after a restart, though the clock was set back', async () => {
      const made = await openFor(make);
      made.clock.advance(10_000);
      const before = await made.store.write(async (tx) => tx.steadyNow());
      made.clock.stepWallClock(-3_600_000);
      const store = await made.reopen();
      expect(store.steadyNow()).toBeGreaterThanOrEqual(before);
      expect(store.now()).toBe(made.clock.nowMicros());
    });

    it('keeps its epoch, its data and its versions over a restart', async () => {
      const made = await openFor(make);
      const { epoch } = made.store;
      const before = await made.store.write((tx) => tx.resources.insert(draft('a')));
      const store = await made.reopen();
      expect(store.epoch).toBe(epoch);
      expect(await store.direct.resources.get(key('a'))).toEqual(before);
      const next = await store.write((tx) => tx.resources.insert(draft('b')));
      expect(next.version).toBeGreaterThan(before.version);
    });

    it('answers a ping while open and refuses everything once closed', async () => {
      const { store } = await openFor(make);
      await store.ping();
      await store.write((tx) => tx.instance.setValue('n', '1'));
      const late = store.write((tx) => tx.instance.setValue('n', '2'));
      await store.close();
      await late;
      await expect(store.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(store.write(async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(store.read(async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(store.direct.instance.value('n')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await store.close();
    });
  });
};
