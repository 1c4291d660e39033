import { assert } from '../../../../base/index.ts';

/** IANA names only: fixed offsets such as `+01:00` are not time zones here. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;
const UTC = 'UTC';

/** True for a known IANA time zone; '' stands for UTC. */
export const isTimezone = (name: string): boolean => {
  if (name === '') return true;
  if (!NAME.test(name)) return false;
  try {
    new Zone(name).offsetAt(0);
    return true;
  } catch {
    return false;
  }
};

/** A wall-clock reading as the milliseconds it would be in UTC: walls compare and add up as numbers. */
export type WallMs = number;

/** Wall clocks of one IANA time zone. Times are Unix milliseconds. */
export class Zone {
  readonly #name: string;

  /** `name` must be a time zone; '' is UTC. */
  constructor(name: string) {
    this.#name = name === '' ? UTC : name;
  }

  /** What the zone adds to UTC at an instant. */
  offsetAt(at: number): number {
    return this.#at(at).offsetNanoseconds / 1_000_000;
  }

  /** First change of the offset after an instant; undefined when there is none. */
  transitionAfter(at: number): number | undefined {
    return this.#at(at).getTimeZoneTransition('next')?.epochMilliseconds;
  }

  /** The instant at which clocks show `wall` first; inside a gap the first instant after it. */
  firstInstant(wall: WallMs): number {
    const plain = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO(UTC).toPlainDateTime();
    const zoned = plain.toZonedDateTime(this.#name, { disambiguation: 'compatible' });
    if (zoned.toPlainDateTime().equals(plain)) return zoned.epochMilliseconds;
    // The clocks jumped over it: `zoned` lies behind the jump, or exactly at it.
    const jump = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
    assert(jump !== null, 'a local time that never occurs comes after a change of the clocks');
    return jump.epochMilliseconds;
  }

  #at(at: number): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(this.#name);
  }
}
