import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Microseconds of `--since`: a duration ago such as `10m`, or a date; 0 when not given. */
export const sinceMicros = (host: Host, text: string | undefined): bigint => {
  if (text === undefined) return 0n;
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : host.nowMs() - Number(count) * UNITS[unit as keyof typeof UNITS];
  if (Number.isNaN(ms))
    throw new CommandFailure(`--since ${text} is not a time`, { hint: 'write it as 10m, 2h, 7d or 2030-01-31' });
  return BigInt(Math.round(ms)) * 1_000n;
};
