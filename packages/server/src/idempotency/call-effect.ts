import type { Store, WriteTx } from '../store/contracts/index.ts';

/** How long the effect of a tool call is remembered: a call runs again at most as long as its turn may wait. */
const KEPT_MICROS = 30 * 86_400 * 1_000_000;

const scopeOf = (key: string): string => `tool-call\n${key}`;

/** What an earlier run of a tool call answered, for calls whose subject is gone afterwards; undefined for a first run. */
export const earlierAnswer = async (store: Pick<Store, 'direct' | 'steadyNow'>, key: string): Promise<unknown> => {
  const earlier = await store.direct.idempotency.find(scopeOf(key), store.steadyNow());
  return earlier === undefined ? undefined : JSON.parse(earlier.answer);
};

/**
 * The effect of a tool call, once for all of its runs: a run after a crash finds the answer of the first one, which is kept in the
 * transaction of the effect. `key` is the idempotency key of the call; the answer must be a JSON value.
 */
export const oncePerCall = async <A>(tx: WriteTx, key: string, effect: () => Promise<A>): Promise<A> => {
  const scope = scopeOf(key);
  const earlier = await tx.idempotency.find(scope, tx.steadyNow());
  if (earlier !== undefined) return JSON.parse(earlier.answer) as A;
  const made = await effect();
  const answer = JSON.stringify(made);
  await tx.idempotency.insert({ scope, requestHash: '', answer, expiresAt: tx.steadyNow() + KEPT_MICROS });
  return made;
};
