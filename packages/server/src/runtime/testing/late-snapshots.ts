import type { ReadTx, Store } from '../../store/contracts/index.ts';

type Reads = Pick<Store, 'read' | 'direct' | 'now' | 'steadyNow'>;
type LogReads = ReadTx['log'];

/**
 * Reads of a store whose snapshots are older than what their caller does with them, as on a database that other processes
 * write to. Each function of `read` first runs on a real snapshot, which records every answer of the session log. Then
 * `meanwhile` lets other writers commit, and the function runs again on the recorded answers.
 */
export const lateSnapshots = (store: Reads, meanwhile: () => Promise<void>): Reads => ({
  direct: logOf(store.direct, async (key, ask) => {
    if (key.startsWith('["session",')) await meanwhile();
    return ask();
  }),
  now: () => store.now(),
  steadyNow: () => store.steadyNow(),
  read: async (work) => {
    const answers = new Map<string, unknown>();
    await store.read((tx) => work(logOf(tx, (key, ask) => record(answers, key, ask))));
    await meanwhile();
    return store.read((tx) => work(logOf(tx, (key) => replay(answers, key))));
  },
});

const record = async (answers: Map<string, unknown>, key: string, ask: () => Promise<unknown>): Promise<unknown> => {
  const answer = await ask();
  answers.set(key, answer);
  return answer;
};

const replay = async (answers: ReadonlyMap<string, unknown>, key: string): Promise<unknown> => {
  if (!answers.has(key)) throw new Error(`the first run of the function did not ask for ${key}`);
  return answers.get(key);
};

const logOf = (tx: ReadTx, answer: (key: string, ask: () => Promise<unknown>) => Promise<unknown>): ReadTx => {
  const log = new Proxy(tx.log, {
    get: (target, name: keyof LogReads) => {
      const ask = target[name].bind(target) as (...values: unknown[]) => Promise<unknown>;
      return (...values: unknown[]) => answer(JSON.stringify([name, values]), () => ask(...values));
    },
  });
  return { ...tx, log };
};
