import { Cron } from 'croner';
import type { WallMs, Zone } from './zone-rules.ts';

const NICKNAMES: ReadonlySet<string> = new Set(['@yearly', '@monthly', '@weekly', '@daily', '@hourly']);
/** `*`, a value or a range, each with a step or without; names are three letters. */
const ITEM = String.raw`(?:[*?]|\d{1,2}(?:-\d{1,2})?|[A-Za-z]{3}(?:-[A-Za-z]{3})?)(?:/\d{1,3})?`;
const FIELD = new RegExp(`^${ITEM}(?:,${ITEM})*$`);
const HOUR_FROM_END = 4;
const FIELDS_WITH_SECONDS = 6;

/** A cron expression: the wall clocks it matches, and how it follows changes of the clocks. */
export class CronExpression {
  readonly #cron: Cron;
  /** `*` or a step in the hour field: runs continue with elapsed time when clocks change. */
  readonly #isElapsed: boolean;

  /** Runs in one second of a minute at most: as clocks change by whole minutes, no two runs are closer than a minute. */
  readonly isMinutely: boolean;

  private constructor(cron: Cron, isElapsed: boolean, isMinutely: boolean) {
    this.#cron = cron;
    this.#isElapsed = isElapsed;
    this.isMinutely = isMinutely;
  }

  /** Undefined for text that is not an expression of five fields, or six with seconds first. */
  static parse(text: string): CronExpression | undefined {
    const pattern = text.trim().toLowerCase();
    const fields = pattern.split(/\s+/);
    const isNickname = NICKNAMES.has(pattern);
    const isForm = (fields.length === 5 || fields.length === 6) && fields.every((field) => FIELD.test(field));
    if (!isNickname && !isForm) return undefined;
    const fromHour = fields.slice(-HOUR_FROM_END).join(' ');
    const isElapsed = pattern === '@hourly' || /^\S*[*?/]/.test(fromHour);
    try {
      const isMinutely = fields.length < FIELDS_WITH_SECONDS || /^0{1,2}\s/.test(pattern);
      const plain = isNickname ? pattern : fields.join(' ').replaceAll('?', '*');
      return new CronExpression(new Cron(plain, { paused: true, utcOffset: 0 }), isElapsed, isMinutely);
    } catch {
      return undefined;
    }
  }

  /** First run after an instant in a zone, Unix milliseconds; undefined when there is none any more. */
  next(zone: Zone, after: number): number | undefined {
    return this.#isElapsed ? this.#nextElapsed(zone, after) : this.#nextFixed(zone, after);
  }

  /** Walls in order: one inside a gap runs behind it, a repeated one at its first pass. */
  #nextFixed(zone: Zone, after: number): number | undefined {
    let wall = this.#nextWall(after + zone.offsetAt(after));
    while (wall !== undefined) {
      const at = zone.firstInstant(wall);
      if (at > after) return at;
      wall = this.#nextWall(wall);
    }
    return undefined;
  }

  /** Stretches of one offset after the other: clocks that jump skip what they jump over and repeat what they repeat. */
  #nextElapsed(zone: Zone, after: number): number | undefined {
    let from = after;
    let offset = zone.offsetAt(after);
    let change = zone.transitionAfter(after);
    for (;;) {
      const wall = this.#nextWall(from + offset);
      if (wall === undefined) return undefined;
      const at = wall - offset;
      if (change === undefined || at < change) return at;
      // The change itself may be a run: look from just before it, by the new offset.
      from = change - 1;
      offset = zone.offsetAt(change);
      change = zone.transitionAfter(change);
    }
  }

  #nextWall(after: WallMs): WallMs | undefined {
    return this.#cron.nextRun(new Date(after))?.getTime();
  }
}
