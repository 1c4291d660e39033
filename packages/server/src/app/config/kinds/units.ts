const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const sizeUnits = { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824, TiB: 1_099_511_627_776 } as const;

type DurationUnit = keyof typeof durationUnits;
type SizeUnit = keyof typeof sizeUnits;

const isDurationUnit = (text: string): text is DurationUnit => Object.hasOwn(durationUnits, text);
const isSizeUnit = (text: string): text is SizeUnit => Object.hasOwn(sizeUnits, text);

/** Milliseconds of one unit of a plain number: by the end of the key's name, else seconds. */
export const numberUnitMs = (key: string): number => {
  const name = key.slice(key.lastIndexOf('.') + 1);
  if (/hours$/i.test(name)) return durationUnits.h;
  return /days$/i.test(name) ? durationUnits.d : durationUnits.s;
};

/** True when the key's name contains its unit, so that people read and write it as a number. */
export const isUnitInName = (key: string): boolean => /(seconds|hours|days)$/i.test(key);

/** `10s`, `1h30m`, `500ms` or a plain number of `unitMs`, as whole milliseconds; undefined when it is not one of these. */
export const parseDurationMs = (text: string, unitMs: number): number | undefined => {
  const compact = text.trim();
  if (/^\d+(\.\d+)?$/.test(compact)) return Math.round(Number(compact) * unitMs);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    if (isDurationUnit(unit)) total += Number(amount) * durationUnits[unit];
  }
  return Math.round(total);
};

/** Shortest exact text, such as `10s`, `1h30m` or `0s`. */
export const printDuration = (ms: number): string => {
  const pieces: string[] = [];
  let rest = ms;
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / durationUnits[unit]);
    if (count > 0) pieces.push(`${count}${unit}`);
    rest -= count * durationUnits[unit];
  }
  return pieces.length === 0 ? '0s' : pieces.join('');
};

/** `4MiB`, `512B` or a plain number of bytes; undefined when it is not one of these. */
export const parseSizeBytes = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, amount = '', unit = 'B'] = match;
  const bytes = isSizeUnit(unit) ? Number(amount) * sizeUnits[unit] : Number.NaN;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};

/** The largest unit that divides exactly, such as `8MiB`; plain bytes below 1 KiB. */
export const printSize = (bytes: number): string => {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB'] as const) {
    if (bytes >= sizeUnits[unit] && bytes % sizeUnits[unit] === 0) return `${bytes / sizeUnits[unit]}${unit}`;
  }
  return `${bytes}B`;
};
