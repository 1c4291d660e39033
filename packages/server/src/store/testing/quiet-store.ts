import { setImmediate as turn } from 'node:timers/promises';
import type { Store } from '../contracts/index.ts';

/** Turns of the event loop without a call: a caller that got an answer has asked again by then, if anything. */
const IDLE_TURNS = 10;

interface Asked {
  pending: number;
  calls: number;
  /** Resolve when a call has ended. */
  readonly whenEnded: (() => void)[];
}

const asked = new WeakMap<Store, Asked>();

/** A store whose calls are counted, so that `quietStore` knows when nothing is under way. */
export const countedStore = (store: Store): Store => {
  const count: Asked = { pending: 0, calls: 0, whenEnded: [] };
  const counting = async <T>(call: () => Promise<T>): Promise<T> => {
    count.pending += 1;
    count.calls += 1;
    try {
      return await call();
    } finally {
      count.pending -= 1;
      for (const tell of count.whenEnded.splice(0)) tell();
    }
  };
  const countedReads = (reads: object): object =>
    new Proxy(reads, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => counting(async () => Reflect.apply(value, target, args) as Promise<unknown>);
      },
    });
  // Some handles are made when they are first asked for.
  const handles = new Map<unknown, object>();
  const direct = new Proxy(store.direct, {
    get: (target, name) => {
      const reads: unknown = Reflect.get(target, name, target);
      if (typeof reads !== 'object' || reads === null) return reads;
      const known = handles.get(reads) ?? countedReads(reads);
      handles.set(reads, known);
      return known;
    },
  });
  const counted: Store = {
    direct,
    epoch: store.epoch,
    write: (work, options) => counting(() => store.write(work, options)),
    read: (work) => counting(() => store.read(work)),
    announce: (worker, onReturn) => counting(() => store.announce(worker, onReturn)),
    now: () => store.now(),
    steadyNow: () => store.steadyNow(),
    ping: () => counting(() => store.ping()),
    close: () => store.close(),
  };
  asked.set(counted, count);
  return counted;
};

/**
 * Resolves when nothing that was asked of a counted store is under way and no one asks on because of an answer. Other stores
 * answer within a turn of the event loop, so that some turns are enough.
 */
export const quietStore = async (store: Store): Promise<void> => {
  const count: Asked = asked.get(store) ?? { pending: 0, calls: 0, whenEnded: [] };
  for (let idle = 0, before = count.calls; idle < IDLE_TURNS; before = count.calls) {
    await turn();
    // A database in another process needs the processor that turn after turn of the event loop would take.
    if (count.pending > 0) await new Promise<void>((resolve) => count.whenEnded.push(resolve));
    idle = count.pending === 0 && count.calls === before ? idle + 1 : 0;
  }
};
