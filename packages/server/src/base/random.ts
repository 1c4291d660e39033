import { randomFillSync } from 'node:crypto';

/** Randomness for the server; tests pass `seededRandom`. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Fills `target` with random bytes and returns it. */
  fill(target: Uint8Array): Uint8Array;
}

/** Real randomness; app passes it in. */
export const systemRandom: Random = {
  next: () => Math.random(),
  fill: (target) => randomFillSync(target),
};

/**
 * Deterministic generator (mulberry32) for simulations: one seed, one sequence.
 * @internal For tests of every folder.
 */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const fill = (target: Uint8Array): Uint8Array => {
    for (let index = 0; index < target.length; index++) target[index] = Math.floor(next() * 256);
    return target;
  };
  return { next, fill };
};
