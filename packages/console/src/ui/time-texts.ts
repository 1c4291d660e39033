const UNITS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** Made with the first time that is shown: making it takes a while, and a page that starts shows none yet. */
let relative: Intl.RelativeTimeFormat | undefined;

/** A moment in Unix microseconds, as the API has them, in milliseconds. */
export const millisOf = (micros: bigint): number => Number(micros / 1_000n);

/** Such as `3 min. ago`, `in 2 hr.` or `now`; both times in Unix milliseconds. */
export const relativeTime = (atMs: number, nowMs: number): string => {
  const seconds = (atMs - nowMs) / 1_000;
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
  const found = UNITS.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  if (found === undefined) return Math.abs(seconds) < 10 ? 'now' : relative.format(Math.round(seconds), 'second');
  return relative.format(Math.trunc(seconds / found.seconds), found.unit);
};

/** Such as `850 ms`, `4.2 s`, `3 min 5 s` or `2 h 4 min`. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Such as `512 B`, `3.4 KiB` or `12 MiB`. */
export const sizeText = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1_024 ** power;
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
};
