import { Buffer } from 'node:buffer';
import type { Random } from '../../base/index.ts';

/** Tokens that never repeat in a database: random bits of this process and a count. */
export const tokenSource = (random: Random): (() => string) => {
  const prefix = Buffer.from(random.fill(new Uint8Array(12))).toString('hex');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
};
