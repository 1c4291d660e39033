import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Source of UUIDv7 ids, lower case. Ids of one source strictly increase, also when the wall clock steps back (RT-R7). */
export interface Ids {
  next(): string;
  /** `count` ids that increase among themselves. */
  take(count: number): string[];
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const POOL_BYTES = 8 * 512;

/** UUIDv7: 48 bits of milliseconds, 12 bits counter, 62 random bits. A full counter borrows the next millisecond. */
export const createIds = (clock: Clock, random: Random): Ids => {
  const pool = new Uint8Array(POOL_BYTES);
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
      counter = (pool[used] ?? 0) & 0x7f;
    } else if (counter >= 0xfff) {
      lastMs += 1;
      counter = 0;
    } else counter += 1;
    const time = lastMs.toString(16).padStart(12, '0');
    const step = counter.toString(16).padStart(3, '0');
    const at = used;
    used += 8;
    const byte = (index: number): string => HEX[pool[at + index] ?? 0] ?? '00';
    const variant = HEX[((pool[at] ?? 0) & 0x3f) | 0x80] ?? '80';
    return `${time.slice(0, 8)}-${time.slice(8)}-7${step}-${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
  };
  return { next, take: (count) => Array.from({ length: count }, next) };
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for a UUID in lower-case text form; a malformed id in a read is NOT_FOUND (API-1.2). */
export const isUuid = (text: string): boolean => UUID.test(text);
