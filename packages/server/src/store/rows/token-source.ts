import { Buffer } from 'node:buffer';
import type { Random } from '../../base/index.ts';

/** Tokens that never repeat in a database: random bits of this process and a count. */
export const tokenSource = (random: Random): (() => string) => {
  const prefix = Buffer.from(random.fill(new Uint8Array(12))).toString('hex');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
};

/** What the token of a claim of this owner begins with. */
export const ownerPrefix = (owner: string): string => `${owner}@`;

/** The token of a claim: whose it is and when it was made, micros, and what no other claim has. Without an owner only the last. */
export const claimToken = (
  unique: string,
  { owner = '', now }: { readonly owner?: string | undefined; readonly now: number },
): string => (owner === '' ? unique : `${ownerPrefix(owner)}${now}/${unique}`);

/** When a claim with an owner was made. */
export const claimedAt = (token: string): number => Number(/@(\d+)\/[^/]*$/.exec(token)?.[1] ?? 0);
