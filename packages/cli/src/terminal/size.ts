const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A count of bytes for people: `312 B`, `1.4 KiB`, `25 MiB`. */
export const sizeText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, bytes < 1_024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  const digits = power === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[power]}`;
};
