import { Buffer } from 'node:buffer';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Source of UUIDv7 ids, lower case. Ids of one source strictly increase, also when the wall clock steps back. */
export interface Ids {
  next(): string;
  /** `count` ids that increase among themselves. */
  take(count: number): string[];
}

/** Random bytes of one id, including the bits of the variant. */
const ID_BYTES = 8;
const POOL_BYTES = ID_BYTES * 512;
const HEX = Buffer.from('0123456789abcdef', 'latin1');
const TEMPLATE = '00000000-0000-7000-0000-000000000000';
/** Where the counter and the two groups of random digits are in an id. */
const STEP_AT = 15;
const RANDOM_AT: readonly number[] = [19, 21, 24, 26, 28, 30, 32, 34];

/**
 * UUIDv7: 48 bits of milliseconds, 12 bits counter, 62 random bits. A full counter borrows the next millisecond. An id is
 * written into a buffer and converted to a string once: a message takes six ids, and concatenated strings are slower to use.
 */
export const createIds = (clock: Pick<Clock, 'nowMicros'>, random: Random): Ids => {
  const pool = Buffer.alloc(POOL_BYTES);
  const text = Buffer.from(TEMPLATE, 'latin1');
  let used = POOL_BYTES;
  let lastMs = 0;
  let counter = 0;
  const writeHex = (byte: number, at: number): void => {
    text[at] = HEX[byte >> 4] as number;
    text[at + 1] = HEX[byte & 0xf] as number;
  };
  const setTime = (ms: number): void => {
    const digits = ms.toString(16).padStart(12, '0');
    lastMs = ms;
    text.write(`${digits.slice(0, 8)}-${digits.slice(8)}`, 'latin1');
  };
  const next = (): string => {
    if (used === POOL_BYTES) {
      random.fill(pool);
      used = 0;
    }
    const ms = Math.floor(clock.nowMicros() / 1000);
    if (ms > lastMs) {
      setTime(ms);
      counter = (pool[used] as number) & 0x7f;
    } else if (counter >= 0xfff) {
      setTime(lastMs + 1);
      counter = 0;
    } else counter += 1;
    text[STEP_AT] = HEX[counter >> 8] as number;
    writeHex(counter & 0xff, STEP_AT + 1);
    pool[used] = ((pool[used] as number) & 0x3f) | 0x80;
    for (let index = 0; index < ID_BYTES; index++) writeHex(pool[used + index] as number, RANDOM_AT[index] as number);
    used += ID_BYTES;
    return text.toString('latin1');
  };
  return { next, take: (count) => Array.from({ length: count }, next) };
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for a UUID in lower-case text form; a malformed id in a read is NOT_FOUND. */
export const isUuid = (text: string): boolean => UUID.test(text);

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True for a UUIDv7 in lower-case text form, as every uid is. */
export const isUuidV7 = (text: string): boolean => UUID_V7.test(text);

const TIME_DIGITS = 12;

/** Reads the 60 ordering bits of a UUIDv7: milliseconds and counter. */
const orderOf = (id: string): bigint => BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}`);

const withOrder = (order: bigint, tail: string): string => {
  const hex = order.toString(16).padStart(TIME_DIGITS + 3, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-${tail}`;
};

/** The least id of a time (Unix milliseconds): ids that were made before it are less. */
export const leastIdAt = (ms: number): string => withOrder(BigInt(ms) << 12n, '8000-000000000000');

/**
 * `count` new ids above `last`, even if the wall clock has stepped back since `last` was made, in another process too: for
 * rows that are listed in the order of their ids. The tail stays random, so ids of different lists never collide.
 */
export const idsAfter = (ids: Ids, last: string, count: number): string[] => {
  const fresh = ids.take(count);
  const [first] = fresh;
  if (last === '' || (first !== undefined && first > last)) return fresh;
  const base = orderOf(last);
  return fresh.map((id, index) => withOrder(base + BigInt(index + 1), id.slice(19)));
};
