import type { Ids } from '../base/index.ts';

const DIGITS = 12;

/** Reads the 60 ordering bits of a UUIDv7: milliseconds and counter. */
const orderOf = (id: string): bigint => BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}`);

const withOrder = (order: bigint, tail: string): string => {
  const hex = order.toString(16).padStart(DIGITS + 3, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-${tail}`;
};

/**
 * `count` new message ids above `last`, also when the wall clock stepped back since `last` was allotted (RT-R7).
 * The random tail stays random, so ids of different sessions never meet.
 */
export const messageIdsAfter = (ids: Ids, last: string, count: number): string[] => {
  const fresh = ids.take(count);
  const [first] = fresh;
  if (last === '' || (first !== undefined && first > last)) return fresh;
  const base = orderOf(last);
  return fresh.map((id, index) => withOrder(base + BigInt(index + 1), id.slice(19)));
};
