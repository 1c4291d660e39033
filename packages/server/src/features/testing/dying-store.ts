import type { Store } from '../../store/contracts/index.ts';

/** Where a process dies: before a transaction commits, or right after. */
export type Death = 'before' | 'after';

/**
 * Lets the process die at its `last`th write from now on (from 1): that write is undone or is the last that happened, and
 * every later one fails. Tells whether it came to that.
 */
export const dieAtWrite = (store: Store, last: number, death: Death): (() => boolean) => {
  const write = store.write.bind(store);
  let count = 0;
  store.write = async (work) => {
    count += 1;
    if (count > last) throw new Error('the process is dead');
    if (count < last) return write(work);
    if (death === 'after') {
      await write(work);
      throw new Error('killed after its commit');
    }
    return write(async (tx) => {
      await work(tx);
      throw new Error('killed before its commit');
    });
  };
  return () => count >= last;
};

/**
 * As `dieAtWrite`, of one process among several: the store of a process that dies around its `at`-th write from now, while
 * others continue with the store itself.
 */
export const dyingStore = (store: Store, at: number, side: Death): Pick<Store, 'direct' | 'now' | 'read' | 'write'> => {
  let writes = 0;
  let isDead = false;
  const dead = (): never => {
    isDead = true;
    throw new Error('killed');
  };
  return {
    direct: store.direct,
    now: () => store.now(),
    read: (work) => (isDead ? dead() : store.read(work)),
    write: async (work) => {
      writes += 1;
      if (isDead || (writes >= at && side === 'before')) dead();
      const result = await store.write(work);
      if (writes >= at) dead();
      return result;
    },
  };
};
