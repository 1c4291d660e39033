import { afterEach, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
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

let world: FiringWorld;
afterEach(() => world.close());

it.each([1, 2])(
  'schedules run each instant once or count it as missed, none early, through jumps of the clock and restarts (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = (count: number): number => Math.floor(random.next() * count);
    world = new FiringWorld({ concurrency: 0 });
    await world.start();
    await world.agent('helper');
    const nowMs = (): number => world.engine.store.now() / 1_000;
    const begin = nowMs();
    const models = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0
        ? daily(`s${index}`, ZONES[pick(ZONES.length)] ?? 'UTC', [pick(24), pick(60)])
        : every(`s${index}`, 3_600 + pick(90_000), begin),
    );
    for (const { name, spec } of models) await world.put(name, spec);
    const missed = new Map<string, number>();
    let latest = begin;
    for (let step = 0; step < 12; step++) {
      if (pick(3) === 0) {
        world.runner.close();
        world.runner = world.anotherRunner();
      }
      // Mostly forward by hours or days, now and then back.
      if (pick(4) === 0) world.clock.stepWallClock(-pick(DAY_MS));
      else if (pick(3) === 0) world.clock.stepWallClock(pick(40 * DAY_MS));
      else world.clock.advance(pick(2 * DAY_MS));
      await world.runner.tick();
      latest = Math.max(latest, nowMs());
      for (const { name } of models) {
        const { events } = await world.state(name);
        const last = events.findLastIndex((event) => event.startsWith('claim/'));
        const count = events.slice(last).find((event) => event.startsWith('dispatch/missed'));
        const key = `${name}/${events.length}/${(await world.record(name)).version}`;
        if (count !== undefined && !missed.has(key)) missed.set(key, Number(count.split(' ')[1]));
      }
    }
    const runs = await world.runs();
    for (const { name, instants } of models) {
      const fired = runs.filter((run) => run.schedule === name);
      for (const run of fired) expect(run.startedMs).toBeGreaterThanOrEqual(run.instantMs);
      const at = fired.map(({ instantMs }) => instantMs);
      expect(at).toEqual([...new Set(at)].toSorted((left, right) => left - right));
      const due = instants(begin, latest);
      expect({ name, strangers: at.filter((instant) => !due.includes(instant)) }).toEqual({ name, strangers: [] });
      const lost = [...missed].filter(([key]) => key.startsWith(`${name}/`)).reduce((sum, [, count]) => sum + count, 0);
      expect({ name, accounted: at.length + lost }).toEqual({ name, accounted: due.length });
    }
  },
  60_000,
);
