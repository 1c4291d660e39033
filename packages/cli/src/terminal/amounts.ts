/** A duration in the largest unit that fits: `45s`, `12m`, `3h`, `5d`. */
export const age = (thenMs: number, nowMs: number): string => {
  const seconds = Math.max(0, Math.floor((nowMs - thenMs) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
};

/** Time of creation that a UUIDv7 holds, in milliseconds; undefined for other texts. */
export const creationMs = (uuid: string): number | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(uuid) ? Number.parseInt(uuid.replace('-', '').slice(0, 12), 16) : undefined;

/** Local date and time to the second, such as `2026-01-31 09:05:00`. */
export const localTime = (ms: number): string => {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A count of bytes for people: `312 B`, `1.4 KiB`, `25 MiB`. */
export const sizeText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, bytes < 1_024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  const digits = power === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[power]}`;
};

/** A count with its noun, `1 file` or `3 files`; `many` is the plural where adding an s is not enough. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
