import type { ScheduleSpec } from '@svc/api/resources';
import { CronExpression } from './cron-rules.ts';
import { parseRunAt } from './run-at-rules.ts';
import { isTimezone, Zone } from './zone-rules.ts';

export type ScheduleKind = 'at' | 'every' | 'cron';

/** When a schedule runs; times are micros. */
export type Timing =
  | { readonly kind: 'at'; readonly runAt: number }
  | { readonly kind: 'every'; readonly interval: number }
  | { readonly kind: 'cron'; readonly cron: CronExpression; readonly zone: Zone };

type TimedSpec = Pick<ScheduleSpec, 'kind' | 'runAt' | 'intervalSeconds' | 'cron' | 'timezone'>;

const SECOND = 1_000_000;
const MILLI = 1_000;

const KINDS: ReadonlyMap<string, ScheduleKind> = new Map([
  ['at', 'at'],
  ['once', 'at'],
  ['one_shot', 'at'],
  ['run_at', 'at'],
  ['every', 'every'],
  ['interval', 'every'],
  ['recurring', 'every'],
  ['cron', 'cron'],
]);

/** The kind a spec means; '' by the one field that is set. Undefined when it means none. */
export const scheduleKind = (spec: TimedSpec): ScheduleKind | undefined => {
  const word = spec.kind.trim().toLowerCase();
  if (word !== '') return KINDS.get(word);
  const set: ScheduleKind[] = [
    ...(spec.runAt === '' ? [] : (['at'] as const)),
    ...(spec.intervalSeconds === 0 ? [] : (['every'] as const)),
    ...(spec.cron === '' ? [] : (['cron'] as const)),
  ];
  return set.length === 1 ? set[0] : undefined;
};

/** The timing of a spec; undefined when it is not valid. */
export const readTiming = (spec: TimedSpec): Timing | undefined => {
  if (!isTimezone(spec.timezone)) return undefined;
  switch (scheduleKind(spec)) {
    case 'at': {
      const runAt = parseRunAt(spec.runAt, spec.timezone);
      return runAt === undefined ? undefined : { kind: 'at', runAt };
    }
    case 'every':
      return spec.intervalSeconds === 0 ? undefined : { kind: 'every', interval: spec.intervalSeconds * SECOND };
    case 'cron': {
      const cron = CronExpression.parse(spec.cron);
      return cron === undefined ? undefined : { kind: 'cron', cron, zone: new Zone(spec.timezone) };
    }
    case undefined:
      return undefined;
  }
};

/** First instant after `after`; `anchor` is where the grid of `every` begins. Undefined: never again. */
export const nextInstant = (timing: Timing, anchor: number, after: number): number | undefined => {
  if (timing.kind === 'at') return timing.runAt > after ? timing.runAt : undefined;
  if (timing.kind === 'cron') {
    const next = timing.cron.next(timing.zone, Math.floor(after / MILLI));
    return next === undefined ? undefined : next * MILLI;
  }
  if (after < anchor) return anchor;
  return anchor + (Math.floor((after - anchor) / timing.interval) + 1) * timing.interval;
};

/** At most `count` instants after `after`, in order. */
export const nextInstants = (
  timing: Timing,
  from: { readonly anchor: number; readonly after: number },
  count: number,
): readonly number[] => {
  const found: number[] = [];
  for (let after = from.after; found.length < count; ) {
    const next = nextInstant(timing, from.anchor, after);
    if (next === undefined) break;
    found.push(next);
    after = next;
  }
  return found;
};

/** Micros; the newest instant is searched for in a short stretch of time first, then in longer ones: dense timings are not walked through. */
const STRETCHES = [60, 3_600, 86_400, 32 * 86_400, 400 * 86_400].map((seconds) => seconds * SECOND);

/** Newest instant that is not after `until`, of those that begin with the instant `first`; `first` where none follows it by then. */
export const latestInstant = (timing: Timing, first: number, until: number): number => {
  if (timing.kind === 'at' || until < first) return first;
  if (timing.kind === 'every') return first + Math.floor((until - first) / timing.interval) * timing.interval;
  for (const stretch of STRETCHES) {
    const newest = lastWithin(timing, Math.max(first, until - stretch), until);
    if (newest !== undefined) return newest;
    if (until - stretch <= first) break;
  }
  return lastWithin(timing, first, until) ?? first;
};

const lastWithin = (timing: Timing, after: number, until: number): number | undefined => {
  let newest: number | undefined;
  for (let next = nextInstant(timing, 0, after); next !== undefined && next <= until; ) {
    newest = next;
    next = nextInstant(timing, 0, next);
  }
  return newest;
};

/** How many instants lie from the instant `first` up to `last`, which does not count itself; at most `most`. */
export const instantsBefore = (
  timing: Timing,
  { first, last }: { readonly first: number; readonly last: number },
  most: number,
): number => {
  if (timing.kind === 'every') return Math.min(most, Math.round((last - first) / timing.interval));
  let count = 0;
  for (let at: number | undefined = first; at !== undefined && at < last && count < most; count++)
    at = nextInstant(timing, 0, at);
  return count;
};
