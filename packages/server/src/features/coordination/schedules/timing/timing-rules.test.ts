import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CronExpression,
  isTimezone,
  nextInstant,
  nextInstants,
  parseRunAt,
  readTiming,
  scheduleKind,
  utcCron,
} from './index.ts';
import { Zone } from './zone-rules.ts';

const micros = (text: string): number => Date.parse(text) * 1_000;
const spec = (more: object = {}) => ({ kind: '', runAt: '', intervalSeconds: 0, cron: '', timezone: '', ...more });

const runs = (...[cron, zone, after, count]: [cron: string, zone: string, after: string, count: number]): string[] => {
  const timing = readTiming(spec({ cron, timezone: zone }))!;
  return nextInstants(timing, { anchor: 0, after: micros(after) }, count).map((at) =>
    Temporal.Instant.fromEpochMilliseconds(at / 1_000)
      .toZonedDateTimeISO(zone)
      .toString({ smallestUnit: 'second' })
      .slice(5, 25),
  );
};

describe('kinds of schedules', () => {
  it.each([
    [' At ', 'at'],
    ['once', 'at'],
    ['ONE_SHOT', 'at'],
    ['run_at', 'at'],
    ['every', 'every'],
    ['interval', 'every'],
    ['Recurring', 'every'],
    ['CRON', 'cron'],
    ['weekly', undefined],
  ])('read %j as %s', (kind, expected) => {
    expect(scheduleKind(spec({ kind }))).toBe(expected);
  });

  it('follow from the one field that is set', () => {
    expect(scheduleKind(spec({ runAt: 'x' }))).toBe('at');
    expect(scheduleKind(spec({ intervalSeconds: 5 }))).toBe('every');
    expect(scheduleKind(spec({ cron: 'x' }))).toBe('cron');
    expect(scheduleKind(spec())).toBeUndefined();
    expect(scheduleKind(spec({ cron: 'x', intervalSeconds: 5 }))).toBeUndefined();
  });

  it.each([
    spec(),
    spec({ kind: 'every' }),
    spec({ runAt: 'soon' }),
    spec({ cron: 'x' }),
    spec({ cron: '@daily', timezone: 'Mars/Base' }),
  ])('give no timing for %j', (invalid) => {
    expect(readTiming(invalid)).toBeUndefined();
  });
});

describe('cron expressions', () => {
  it.each([
    '* * * * *',
    '*/5,7 0-20/10,22 1,15 jan-MAR Mon-fri',
    '0 0 9 * * ?',
    '0 0 * * 0',
    '0 0 * * 7',
    '0 0 * * 5-7',
    '0 0 * * SAT-SUN',
    '@yearly',
    '@monthly',
    '@weekly',
    '@daily',
    '@Hourly',
    '  0   9 * * * ',
    '*/30 * * * * *',
    '0 0 29 2 *',
  ])('accept %j', (text) => {
    expect(CronExpression.parse(text)).toBeDefined();
  });

  it.each([
    '',
    '* * * *',
    '* * * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-2 * * * *',
    '*/0 * * * *',
    '5/15 * * * *',
    '1,,2 * * * *',
    '0 0 L * *',
    '0 0 * * 1#2',
    '0 0 15W * *',
    '@reboot',
    '@annually',
    'a b c d e',
    '* * * * mon-',
    '-1 * * * *',
    '0 0 * * *; rm',
  ])('refuse %j', (text) => {
    expect(CronExpression.parse(text)).toBeUndefined();
  });

  it('mean Sunday by 0 and by 7, and either when both days are restricted', () => {
    expect(runs('0 0 * * 7', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual(
      runs('0 0 * * 0', 'UTC', '2026-01-01T00:00:00Z', 2),
    );
    expect(runs('0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '01-02T00:00:00+00:00',
      '01-09T00:00:00+00:00',
      '01-13T00:00:00+00:00',
    ]);
  });

  it('run once at the first instant after a gap', () => {
    expect(runs('0,30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 3)).toEqual([
      '03-29T03:00:00+02:00',
      '03-30T02:00:00+02:00',
      '03-30T02:30:00+02:00',
    ]);
    expect(runs('*/15 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '03-29T03:00:00+02:00',
      '03-29T03:15:00+02:00',
    ]);
    expect(runs('0 0 6 9 *', 'America/Santiago', '2026-09-01T00:00:00Z', 1)).toEqual(['09-06T01:00:00-03:00']);
  });

  it('run repeated walls at their first pass, also when asked during the second', () => {
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '10-25T02:30:00+02:00',
      '10-26T02:30:00+01:00',
    ]);
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', 1)).toEqual(['10-26T02:30:00+01:00']);
  });

  it('follow elapsed time with a star or a step in the hour', () => {
    expect(runs('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 3)).toEqual([
      '03-29T01:30:00+01:00',
      '03-29T03:30:00+02:00',
      '03-29T04:30:00+02:00',
    ]);
    expect(runs('30 */1 * * *', 'Europe/Berlin', '2026-10-24T23:40:00Z', 3)).toEqual([
      '10-25T02:30:00+02:00',
      '10-25T02:30:00+01:00',
      '10-25T03:30:00+01:00',
    ]);
    expect(runs('@hourly', 'Europe/Berlin', '2026-10-25T00:30:00Z', 1)).toEqual(['10-25T02:00:00+01:00']);
  });

  it('come never, or only on a leap day', () => {
    expect(runs('0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([]);
    expect(runs('0 * 30 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([]);
    expect(runs('0 0 29 2 *', 'Europe/Berlin', '2026-01-01T00:00:00Z', 1)).toEqual(['02-29T00:00:00+01:00']);
    expect(runs('0 */12 29 2 *', 'Europe/Berlin', '2026-01-01T00:00:00Z', 2)).toEqual([
      '02-29T00:00:00+01:00',
      '02-29T12:00:00+01:00',
    ]);
  });
});

const MINUTE = 60_000;
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Kolkata',
  'Africa/Cairo',
];
const WINDOW_MINUTES = 4 * 24 * 60;

const matches = (pattern: { minutes: number[]; hours: number[] | 'all' }, wall: number): boolean => {
  const date = new Date(wall);
  const isHour = pattern.hours === 'all' || pattern.hours.includes(date.getUTCHours());
  return isHour && pattern.minutes.includes(date.getUTCMinutes());
};

/** Every run in the window by looking at every minute of it. */
const oracle = (zone: Zone, start: number, pattern: { minutes: number[]; hours: number[] | 'all' }): number[] => {
  const walls = Array.from({ length: WINDOW_MINUTES }, (_, index) => {
    const at = start + index * MINUTE;
    return { at, wall: at + zone.offsetAt(at) };
  });
  if (pattern.hours === 'all') return walls.filter(({ wall }) => matches(pattern, wall)).map(({ at }) => at);
  const found = new Set<number>();
  // The minute before the window: walls jumped over right at its start belong to it.
  let shown = start - MINUTE + zone.offsetAt(start - MINUTE);
  for (const { at, wall } of walls) {
    // Walls between the last one shown and this one were jumped over: they run now, once.
    for (let skipped = shown + MINUTE; skipped <= wall; skipped += MINUTE) if (matches(pattern, skipped)) found.add(at);
    shown = Math.max(shown, wall);
  }
  return [...found];
};

describe('cron through changes of the clocks', () => {
  it('agrees with an oracle that looks at every minute: no instant twice, none lost', () => {
    const pattern = fc.record({
      minutes: fc.uniqueArray(fc.nat({ max: 59 }), { minLength: 1, maxLength: 4 }),
      hours: fc.oneof(fc.constant('all' as const), fc.uniqueArray(fc.nat({ max: 23 }), { minLength: 1, maxLength: 6 })),
    });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), pattern, fc.nat({ max: 3 }), fc.nat({ max: 2_880 }), (...args) => {
        const [name, { minutes, hours }, skip, shift] = args;
        const zone = new Zone(name);
        let change = zone.transitionAfter(Date.parse('2025-06-01T00:00:00Z')) ?? Date.parse('2026-03-29T01:00:00Z');
        for (let index = 0; index < skip; index++) change = zone.transitionAfter(change) ?? change;
        const start = change - 2 * 24 * 60 * MINUTE + shift * MINUTE;
        const cron = CronExpression.parse(`${minutes.join(',')} ${hours === 'all' ? '*' : hours.join(',')} * * *`)!;
        const expected = oracle(zone, start, { minutes, hours });
        const found: number[] = [];
        const end = start + WINDOW_MINUTES * MINUTE;
        for (let at = cron.next(zone, start - 1); at !== undefined && at < end; at = cron.next(zone, at))
          found.push(at);
        // A window that begins in a second pass cannot know the first one.
        if (zone.firstInstant(start + zone.offsetAt(start)) === start) expect(found).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the grid of every', () => {
  const every = { kind: 'every', interval: 10_000_000 } as const;

  it('has no drift and begins at its anchor', () => {
    expect(nextInstant(every, 100, 100)).toBe(10_000_100);
    expect(nextInstant(every, 100, 10_000_099)).toBe(10_000_100);
    expect(nextInstant(every, 100, 10_000_100)).toBe(20_000_100);
    expect(nextInstant(every, 100, 50)).toBe(100);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 1e9 }), (anchor, elapsed, interval) => {
        const next = nextInstant({ kind: 'every', interval }, anchor, anchor + elapsed)!;
        expect((next - anchor) % interval).toBe(0);
        expect(next - anchor - elapsed).toBeGreaterThan(0);
        expect(next - anchor - elapsed).toBeLessThanOrEqual(interval);
      }),
    );
  });

  it('comes once for at', () => {
    expect(nextInstants({ kind: 'at', runAt: 50 }, { anchor: 0, after: 49 }, 5)).toEqual([50]);
    expect(nextInstant({ kind: 'at', runAt: 50 }, 0, 50)).toBeUndefined();
  });
});

describe('run_at', () => {
  it.each([
    ['2026-05-01T10:00:00Z', '', '2026-05-01T10:00:00Z'],
    ['2026-05-01t10:00:00.5+02:00', 'America/New_York', '2026-05-01T08:00:00.500Z'],
    ['2026-05-01 10:00:00', 'Europe/Berlin', '2026-05-01T08:00:00Z'],
    ['2026-05-01T10:00:00', '', '2026-05-01T10:00:00Z'],
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2024-02-29T00:00:00Z', '', '2024-02-29T00:00:00Z'],
  ])('reads %s in %j', (text, zone, expected) => {
    expect(parseRunAt(text, zone)).toBe(micros(expected));
  });

  it('keeps microseconds', () => {
    expect(parseRunAt('2026-05-01T10:00:00.123456789Z', '')).toBe(micros('2026-05-01T10:00:00Z') + 123_456);
  });

  it.each([
    '',
    'tomorrow',
    '2026-05-01',
    '2026-05-01T10:00Z',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-05-01T25:00:00Z',
    '2026-05-01T10:00:00+2',
    '1777629600',
    '20260501T100000Z',
  ])('refuses %j', (text) => {
    expect(parseRunAt(text, '')).toBeUndefined();
  });
});

describe('time zones', () => {
  it.each(['', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('accept %j', (name) => {
    expect(isTimezone(name)).toBe(true);
  });

  it.each(['+01:00', 'Mars/Base', 'Europe/', 'UTC ', '01', 'Europe/Berlin; x'])('refuse %j', (name) => {
    expect(isTimezone(name)).toBe(false);
  });
});

it('a cron expression by UTC clocks answers its next times, other text none', () => {
  const next = utcCron('30 2 * * *');
  const first = next?.(Date.parse('2026-03-29T00:00:00.5Z')) ?? 0;
  expect(new Date(first).toISOString()).toBe('2026-03-29T02:30:00.000Z');
  expect(new Date(next?.(first) ?? 0).toISOString()).toBe('2026-03-30T02:30:00.000Z');
  expect(utcCron('at night')).toBeUndefined();
});
