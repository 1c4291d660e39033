import type { Clock } from '../../base/index.ts';
import { CLOCK_SLACK_MICROS, StoreClock } from '../rows/index.ts';
import { type Queries, statement } from './connection/index.ts';

/** Time of the database server, and the newest time that a node noted. */
const START = statement<{ server: number; noted: number }>(
  `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS server,
     coalesce((SELECT value::bigint FROM instance WHERE name = 'clock'), 0) AS noted`,
);
/** Notes our time, unless another node is ahead; answers the time that holds now. */
const NOTE = statement<{ value: string }>(
  `INSERT INTO instance (name, value) VALUES ('clock', $1) ON CONFLICT (name)
   DO UPDATE SET value = greatest(instance.value::bigint, excluded.value::bigint)::text RETURNING value`,
);

/**
 * The store clock of one node (RT-R20): the server's `clock_timestamp()` at the start, moved on by the monotonic clock of the
 * process, never behind what another node noted. It is noted once a second while there are writes, so nodes differ by
 * what a message takes, and a process that starts later is never behind.
 */
export class SharedClock {
  readonly #clock: Clock;
  readonly #base: StoreClock;
  /** What other nodes were ahead by. */
  #ahead = 0;
  #notedAt: number;

  private constructor(clock: Clock, base: StoreClock) {
    this.#clock = clock;
    this.#base = base;
    this.#notedAt = clock.monotonicMs();
  }

  static async start(sql: Queries, clock: Clock): Promise<SharedClock> {
    const { server = 0, noted = 0 } = (await sql.first(START)) ?? {};
    const base = new StoreClock({ ...clockOf(clock), nowMicros: () => server }, noted);
    const shared = new SharedClock(clock, base);
    await shared.note(sql);
    return shared;
  }

  now(): number {
    return this.#base.now() + this.#ahead;
  }

  /** Now, after the time was noted when a second has passed. */
  async current(sql: Queries): Promise<number> {
    if ((this.#clock.monotonicMs() - this.#notedAt) * 1_000 >= CLOCK_SLACK_MICROS) await this.note(sql);
    return this.now();
  }

  async note(sql: Queries): Promise<void> {
    this.#notedAt = this.#clock.monotonicMs();
    const now = this.now();
    const noted = Number((await sql.first(NOTE, [String(now)]))?.value ?? now);
    if (noted > this.now()) this.#ahead += noted - this.now();
  }
}

const clockOf = (clock: Clock): Clock => ({
  nowMicros: () => clock.nowMicros(),
  monotonicMs: () => clock.monotonicMs(),
  after: (delayMs, fire) => clock.after(delayMs, fire),
});
