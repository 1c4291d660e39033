import { afterEach, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { isSampled } from '../../../../store/testing/sampled.ts';
import { FiringWorld } from '../testing/firing-world.ts';

/** A schedule, and when the standard library says that it runs. */
interface Model {
  readonly name: string;
  readonly spec: object;
  /** Every instant after `after` up to `until`, Unix milliseconds. */
  instants(after: number, until: number): readonly number[];
}

const DAY_MS = 86_400_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
];

/** Daily at a local time, by the calendar of `Temporal`: times that clocks jump over run right after, repeated ones the first time. */
const daily = (name: string, zone: string, [hour, minute]: readonly [number, number]): Model => ({
  name,
  spec: { cron: `${minute} ${hour} * * *`, timezone: zone },
  instants: (after, until) => {
    const found = new Set<number>();
    const first = Temporal.Instant.fromEpochMilliseconds(after - 2 * DAY_MS)
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    for (let days = 0; days < (until - after) / DAY_MS + 4; days++) {
      const at = first.add({ days }).toPlainDateTime({ hour, minute });
      const early = at.toZonedDateTime(zone, { disambiguation: 'earlier' });
      const isGap = !early.toPlainDateTime().equals(at);
      const late = at.toZonedDateTime(zone, { disambiguation: 'later' });
      const gapEnd = isGap ? early.getTimeZoneTransition('next') : undefined;
      const instant = gapEnd ?? (isGap ? late : early);
      if (instant.epochMilliseconds > after && instant.epochMilliseconds <= until) found.add(instant.epochMilliseconds);
    }
    return [...found].toSorted((left, right) => left - right);
  },
});

const every = (name: string, seconds: number, anchorMs: number): Model => ({
  name,
  spec: { intervalSeconds: seconds },
  instants: (after, until) => {
    const found: number[] = [];
    for (let at = anchorMs + seconds * 1_000; at <= until; at += seconds * 1_000) if (at > after) found.push(at);
    return found;
  },
});

/** As many schedules as a namespace may have by default, and what goes before the names of those of each. */
const OF_NAMESPACE = 1_000;
const NAMESPACES = ['', 'b/', 'c/', 'd/', 'e/', 'f/', 'g/', 'h/', 'i/', 'j/'];

let world: FiringWorld;
afterEach(() => world.close());

type Pick = (count: number) => number;

interface Play {
  readonly seed: number;
  readonly schedules: number;
  readonly steps: number;
  readonly zones: readonly string[];
  readonly target: object;
  /** Where the clock stands first, Unix milliseconds. */
  readonly from: number;
  /** Moves the clock. */
  readonly move: (pick: Pick) => void;
}

/** Random schedules through jumps of the clock and restarts; each instant has to be run once or counted as missed, and none early. */
const play = async ({ seed, schedules, steps, zones, target, from, move }: Play): Promise<void> => {
  const random = seededRandom(seed);
  const pick: Pick = (count) => Math.floor(random.next() * count);
  world = new FiringWorld({ concurrency: 0 });
  await world.start();
  await world.agent('helper');
  const nowMs = (): number => world.engine.store.now() / 1_000;
  world.clock.stepWallClock(from - nowMs());
  const begin = nowMs();
  const models = Array.from({ length: schedules }, (_, index) => {
    const name = `${NAMESPACES[Math.floor(index / OF_NAMESPACE)] ?? ''}s${index}`;
    return index % 2 === 0
      ? daily(name, zones[pick(zones.length)] ?? 'UTC', [pick(24), pick(60)])
      : every(name, 3_600 + pick(90_000), begin);
  });
  for (const { name, spec } of models) await world.put(name, { ...spec, target });
  const missed = new Map<string, number>();
  let latest = begin;
  let seen = 0;
  for (let step = 0; step < steps; step++) {
    if (pick(3) === 0) {
      world.runner.close();
      world.runner = world.anotherRunner();
    }
    move(pick);
    await world.runner.tick();
    latest = Math.max(latest, nowMs());
    const runs = await world.runs();
    for (const name of new Set(runs.slice(seen).map(({ schedule }) => schedule))) {
      const { events } = await world.state(name);
      const last = events.slice(events.findLastIndex((event) => event.startsWith('claim/')));
      const count = last.find((event) => event.startsWith('dispatch/missed'))?.split(' ')[1] ?? '0';
      missed.set(name, (missed.get(name) ?? 0) + Number(count));
    }
    seen = runs.length;
  }
  const fired = Map.groupBy(await world.runs(), ({ schedule }) => schedule);
  for (const { name, instants } of models) {
    const runs = fired.get(name) ?? [];
    const at = runs.map(({ instantMs }) => instantMs);
    const due = new Set(instants(begin, latest));
    const found = {
      name,
      early: runs.filter(({ startedMs, instantMs }) => startedMs < instantMs),
      strangers: at.filter((instant) => !due.has(instant)),
      twice: at.length - new Set(at).size,
      accounted: at.length + (missed.get(name) ?? 0),
    };
    expect(found).toEqual({ name, early: [], strangers: [], twice: 0, accounted: due.size });
  }
  expect(fired.size).toBeGreaterThan(schedules / 3);
};

it.each([1, 2])(
  'schedules run each instant once or count it as missed, none early, through jumps of the clock and restarts (seed %i)',
  (seed) =>
    play({
      seed,
      schedules: 60,
      steps: 12,
      zones: ZONES,
      target: { agent: 'helper' },
      from: Date.parse('2025-06-15T15:06:40Z'),
      // Mostly forward by hours or days, now and then back.
      move: (pick) => {
        if (pick(4) === 0) world.clock.stepWallClock(-pick(DAY_MS));
        else if (pick(3) === 0) world.clock.stepWallClock(pick(40 * DAY_MS));
        else world.clock.advance(pick(2 * DAY_MS));
      },
    }),
);

/** On PostgreSQL, where each step writes far more slowly, fewer: what an instant is does not rest on the engine. */
const MANY = isSampled() ? 1_000 : 10_000;

it('10,000 schedules (on PostgreSQL 1,000) in all time zones do so on the day on which clocks change in Europe', async () => {
  const move = (pick: Pick): void => world.clock.stepWallClock(pick(4) === 0 ? -pick(DAY_MS / 8) : pick(DAY_MS / 3));
  await play({
    seed: 3,
    schedules: MANY,
    steps: 9,
    zones: Intl.supportedValuesOf('timeZone'),
    target: { workflow: 'flow' },
    from: Date.parse('2025-10-25T20:00:00Z'),
    move,
  });
}, 240_000);
