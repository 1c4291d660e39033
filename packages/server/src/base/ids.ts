import { Buffer } from 'node:buffer';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Source of UUIDv7 ids, lower case. Ids of one source strictly increase, also when the wall clock steps back (RT-R7). */
export interface Ids {
  next(): string;
  /** `count` ids that increase among themselves. */
  take(count: number): string[];
}

/** Random bytes of one id, the variant's bits among them. */
const ID_BYTES = 8;
const POOL_BYTES = ID_BYTES * 512;
const HEX = Buffer.from('0123456789abcdef', 'latin1');
const TEMPLATE = '00000000-0000-7000-0000-000000000000';
/** Where the counter and the two groups of random digits stand in an id. */
const STEP_AT = 15;
const RANDOM_AT: readonly number[] = [19, 21, 24, 26, 28, 30, 32, 34];

/**
 * UUIDv7: 48 bits of milliseconds, 12 bits counter, 62 random bits. A full counter borrows the next millisecond. An id is put
 * together in a buffer, of which one string is made: a message takes six ids, and texts joined from pieces stay pieces.
 */
export const createIds = (clock: Clock, random: Random): Ids => {
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

/** True for a UUID in lower-case text form; a malformed id in a read is NOT_FOUND (API-1.2). */
export const isUuid = (text: string): boolean => UUID.test(text);
