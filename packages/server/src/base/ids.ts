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

/** UUIDv7: 48 bits of milliseconds, 12 bits counter, 62 random bits. A full counter borrows the next millisecond. */
export const createIds = (clock: Clock, random: Random): Ids => {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let lastMs = 0;
  let counter = 0;
  const next = (): string => {
    if (used === POOL_BYTES) {
      random.fill(pool);
      used = 0;
    }
    const ms = Math.floor(clock.nowMicros() / 1000);
    if (ms > lastMs) {
      lastMs = ms;
      counter = pool.readUInt8(used) & 0x7f;
    } else if (counter >= 0xfff) {
      lastMs += 1;
      counter = 0;
    } else counter += 1;
    const time = lastMs.toString(16).padStart(12, '0');
    const step = counter.toString(16).padStart(3, '0');
    pool.writeUInt8((pool.readUInt8(used) & 0x3f) | 0x80, used);
    const tail = pool.toString('hex', used, used + ID_BYTES);
    used += ID_BYTES;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${step}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
  return { next, take: (count) => Array.from({ length: count }, next) };
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for a UUID in lower-case text form; a malformed id in a read is NOT_FOUND (API-1.2). */
export const isUuid = (text: string): boolean => UUID.test(text);
