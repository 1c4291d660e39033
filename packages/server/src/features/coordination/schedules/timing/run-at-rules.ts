import { Zone } from './zone-rules.ts';

/** Hours end at 23: Date.parse reads 24:00:00 as the next day. */
const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})?$/;

/** Micros of an RFC 3339 time; without an offset it is read in the zone. Undefined when it is not such a time. */
export const parseRunAt = (text: string, timezone: string): number | undefined => {
  const match = RFC3339.exec(text.trim());
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', offset] = match;
  const micros = Number(fraction.slice(1).padEnd(6, '0').slice(0, 6));
  const wall = Date.parse(`${date}T${time}${offset === undefined ? 'Z' : offset.toUpperCase()}`);
  if (Number.isNaN(wall) || !isCalendarDay(date)) return undefined;
  const at = offset === undefined ? new Zone(timezone).firstInstant(wall) : wall;
  return at * 1_000 + micros;
};

/** Date.parse lets the 31st of a short month run over into the next. */
const isCalendarDay = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
